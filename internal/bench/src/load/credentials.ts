import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'

/** With what a load proves that it has the key of its tokens (DPoP, RFC 9449). */
export interface Proofs {
  /** A private key on P-256, as PEM. */
  readonly privateKey: string
  /** The URL in the proofs. @default the URL of the server */
  readonly url?: string | undefined
  readonly nonce?: string | undefined
}

/** Returns the headers of a request with a token. Each call makes another proof. */
export type ToHeaders = (token: string) => Readonly<Record<string, string>>

/** Creates the function that makes the headers of requests to a server. */
export const createHeaders = (serverUrl: string, proofs: Proofs | undefined): ToHeaders => {
  if (proofs === undefined) return (token) => ({ authorization: `Bearer ${token}` })
  const { url = new URL(serverUrl).href, nonce } = proofs
  const key = createPrivateKey(proofs.privateKey)
  const jwk = createPublicKey(key).export({ format: 'jwk' })
  const header = encode({ typ: 'dpop+jwt', alg: 'ES256', jwk })
  return (token) => {
    const ath = createHash('sha256').update(token).digest('base64url')
    const iat = Math.floor(Date.now() / 1_000)
    const payload = { jti: randomBytes(16).toString('base64url'), htm: 'GET', htu: url, iat, ath, nonce }
    const input = `${header}.${encode(payload)}`
    const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })
    return { authorization: `DPoP ${token}`, dpop: `${input}.${signature.toString('base64url')}` }
  }
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
