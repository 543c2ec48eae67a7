import type { Environment } from './environment.js'

/** ES256. */
export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** The key of one session. The private key cannot be exported. */
export interface SessionKey {
  /** The thumbprint of the public key (RFC 7638, SHA-256). */
  readonly thumbprint: string
  /** The public key, with the members that the thumbprint covers. */
  readonly jwk: object
  /** The private key, a `CryptoKey`. */
  readonly privateKey: Parameters<typeof crypto.subtle.sign>[1]
  /** When the key was made, in milliseconds since 1970, by the clock of the device. */
  readonly createdAt: number
}

/**
 * Sends a request with a proof of the key (RFC 9449), and once more with another proof if the
 * server refuses the first.
 */
export type SendWithProof = (
  key: SessionKey,
  input: string | Request,
  init: RequestInit & { readonly headers: Headers },
  accessToken?: string | undefined,
) => Promise<Response>

/** The last nonce of a server. */
interface Nonce {
  readonly nonce: string
  /** How far the clock of the server is ahead. */
  readonly aheadMs: number
  /** The difference of the two clocks of the device. */
  readonly clocksMs: number
}

// A user has set the clock, or the device slept: a proof without a nonce makes the server send its
// time.
const maximalJumpMs = 30_000

type Clock = Pick<Environment, 'now' | 'monotonicMs'>

export const createSendWithProof = ({ now, monotonicMs }: Clock): SendWithProof => {
  const nonces = new Map<string, Nonce>()

  return async (key, input, init, accessToken) => {
    const { url = input, method = init.method } = Object(input)
    const { origin, pathname } = new URL(url)

    const attempt = async (isLast: boolean): Promise<Response> => {
      const last = nonces.get(origin)
      const { nonce, aheadMs = 0 } = last && Math.abs(now() - monotonicMs() - last.clocksMs) < maximalJumpMs ? last : {}
      const claims = {
        jti: crypto.randomUUID(),
        htm: method,
        htu: origin + pathname,
        iat: Math.floor((now() + aheadMs) / 1_000),
        nonce,
        ath: accessToken && (await hash(accessToken)),
      }
      init.headers.set('DPoP', await sign(key, claims))
      const response = await fetch(isLast ? input : (Object(input).clone?.() ?? input), init)
      const next = response.headers.get('DPoP-Nonce')
      if (next) {
        // A nonce of jwt-auth starts with the time of the server.
        const aheadMs = Number(/^\d{10}\./.exec(next) ?? now() / 1_000) * 1_000 - now()
        nonces.set(origin, { nonce: next, aheadMs, clocksMs: now() - monotonicMs() })
      }
      // The nonce is too old, or a proxy has sent the request twice, and a proof is accepted once.
      if (isLast || init.signal?.aborted || !response.headers.get('WWW-Authenticate')?.includes('_dpop_'))
        return response
      // The connection becomes free.
      await response.text()
      return attempt(true)
    }
    // A stream can be sent only once.
    return attempt('duplex' in init)
  }
}

/** Returns the SHA-256 of a text in base64url. */
export const hash = async (text: string): Promise<string> =>
  toBase64Url(await crypto.subtle.digest('SHA-256', toBytes(text)))

const sign = async ({ jwk, privateKey }: SessionKey, claims: object): Promise<string> => {
  const text = [{ typ: 'dpop+jwt', alg: 'ES256', jwk }, claims]
    .map((part) => toBase64Url(toBytes(JSON.stringify(part))))
    .join('.')
  const signature = await crypto.subtle.sign(algorithm, privateKey, toBytes(text))
  return `${text}.${toBase64Url(signature)}`
}

const toBytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const toBase64Url = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=/g, '')
