import { hash } from 'node:crypto'
import { AuthError } from '../errors/auth-error.js'
import type { ServiceSecrets } from '../keys/key-ring.js'
import type { System } from '../system.js'
import type { DpopPolicy } from './dpop-options.js'
import { createNonces } from './nonces.js'
import { createProofParser, invalidProof, type ParsedProof } from './proof.js'
import { createUsedProofs } from './used-proofs.js'

/** What a request has of DPoP (RFC 9449). A binding creates it. */
export interface DpopRequest {
  /** The header `DPoP`. Several headers are joined. `undefined` if there is none. */
  readonly proof: string | undefined
  /** The method of the request. */
  readonly method: string
  /** The path of the whole request, as the client sent it: encoded and without a query. */
  readonly path: string
  /** Adds the header `DPoP-Nonce` to the response. @default the client gets no new nonce */
  readonly sendNonce?: ((nonce: string) => void) | undefined
}

/** A proof that passed all checks, except that it may have been used before. */
export interface CheckedProof {
  /** The thumbprint of the key that signed the proof. */
  readonly thumbprint: string
  /**
   * Uses the proof up. Call it when the rest of the credential is valid: otherwise anybody could
   * displace proofs and keys from the memory. A second call for the same request does nothing, so
   * that several guards can check one request.
   *
   * @throws AuthError `jwt_auth_invalid_dpop_proof` if this process has accepted the proof before
   */
  readonly use: () => void
}

const otherUrl = 'its `htu` is not the URL of the request: compare `dpop.publicUrls` with the URL that clients use'

// `iat` may differ by this much from the clock, in both directions.
const maxDriftMs = 60_000

/** Creates the check of proofs of one service. */
export const createDpop = (
  policy: DpopPolicy,
  secrets: ServiceSecrets,
  { now, reportFault }: Pick<System, 'now'> & { readonly reportFault?: (message: string) => void },
) => {
  const parseProof = createProofParser()
  const nonces = createNonces(secrets)
  const rememberProof = createUsedProofs()
  // Several guards may check one request.
  const checked = new WeakMap<DpopRequest, CheckedProof>()

  // The claims come before the signature, because anybody can make the service check one.
  const checkOnce = ({ method, path, sendNonce }: DpopRequest, { claims, verify }: ParsedProof): CheckedProof => {
    const { jti, htm, htu, iat, nonce } = claims
    const at = now()
    const state = nonces.check(nonce, at)
    if (state === 'invalid') throw new AuthError('jwt_auth_use_dpop_nonce', { dpopNonce: nonces.issue(at) })
    if (htm !== method) throw invalidProof('its `htm` is not the method of the request')
    if (!isUrlOf(htu, path, policy.publicUrls)) {
      reportFault?.(`a DPoP proof was refused: ${otherUrl}. Ignore this report if the proof was forged.`)
      throw invalidProof(otherUrl)
    }
    if (typeof iat !== 'number' || Math.abs(at - iat * 1000) > maxDriftMs) {
      throw invalidProof('its `iat` is more than 60 seconds from the time of this server')
    }
    if (typeof jti !== 'string' || jti === '') throw invalidProof('it has no `jti`')
    const { thumbprint, keep } = verify()
    if (state === 'ageing') sendNonce?.(nonces.issue(at))
    let isUsed = false
    const use = (): void => {
      if (!isUsed && !rememberProof({ thumbprint, jti }, now())) throw invalidProof('it was used before')
      isUsed = true
      keep()
    }
    return { thumbprint, use }
  }

  /**
   * Checks the proof of a request (RFC 9449, section 4.3).
   *
   * @param accessToken The access token that the proof must name. Omitted for a login and a
   *   refresh.
   * @throws AuthError `jwt_auth_use_dpop_nonce` with a nonce if the proof has no current one;
   *   `jwt_auth_invalid_dpop_proof` if the proof is missing or fails another check
   */
  const checkProof = (request: DpopRequest, accessToken?: string): CheckedProof => {
    if (request.proof === undefined) throw invalidProof('the header DPoP is missing')
    const proof = parseProof(request.proof)
    if (accessToken !== undefined && proof.claims['ath'] !== hash('sha256', accessToken, 'base64url')) {
      throw invalidProof('its `ath` is not the hash of the access token')
    }
    const result = checked.get(request) ?? checkOnce(request, proof)
    checked.set(request, result)
    return result
  }
  return { ...policy, checkProof }
}

/** The policy of a service with the option `dpop`, and its check of proofs. */
export type Dpop = ReturnType<typeof createDpop>

// RFC 9449, section 4.3, check 9: without query and fragment, normalized (RFC 3986, section 6.2).
// The path of the request is not normalized, because a router does not normalize it either.
const isUrlOf = (htu: unknown, path: string, publicUrls: readonly string[]): boolean => {
  const [written = ''] = typeof htu === 'string' ? htu.split(/[?#]/, 1) : []
  const isPublic = (url: string | undefined): boolean => publicUrls.some((publicUrl) => publicUrl + path === url)
  return isPublic(written) || isPublic(normalize(written))
}

// Only ASCII, as in each URI: to parse a long international host name takes milliseconds.
const normalize = (url: string): string | undefined => {
  if (!/^https?:\/\/[!-?A-[\]-~]+$/i.test(url) || !URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
