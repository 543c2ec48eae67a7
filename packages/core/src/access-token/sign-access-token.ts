import type { KeyObject } from 'node:crypto'
import { types } from 'node:util'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import { signWithPrivateKey } from '../keys/algorithm.js'
import type { RingKey } from '../keys/key.js'
import type { KeyRing } from '../keys/key-ring.js'
import { type RunInTime, TimeoutError } from '../system.js'
import { accessTokenType } from './compact-jws.js'

/**
 * Signs claims with the active key and resolves to the access token.
 *
 * @throws AuthError `jwt_auth_unavailable` or `jwt_auth_internal_error` when a {@link Signer} fails
 */
export type SignAccessToken = (claims: object) => Promise<string>

/** Creates the function that signs access tokens. `runInTime` is the deadline of a signer. */
export const createAccessTokenSigner =
  (keyRing: KeyRing, runInTime: RunInTime): SignAccessToken =>
  async (claims) => {
    const { active } = keyRing
    const { signing } = active
    if (typeof signing !== 'function') return signLocally(claims, active, signing)
    const signingInput = toSigningInput(claims, active)
    const signed = await runInTime(async ({ signal }) => signing(Buffer.from(signingInput), signal)).catch(rethrow)
    const signature = await toJwsSignature(signed, active)
    if (signature !== undefined && active.isValid(signingInput, signature)) {
      return `${signingInput}.${signature.toString('base64url')}`
    }
    throw failed(
      new TypeError(
        `jwt-auth: the signer of the active key (kid ${active.kid}) returned no ${active.algorithm} signature of that key over the signing input; check that the key and the algorithm are those of the key management service, and that the service hashes the input once.`,
      ),
    )
  }

const signLocally = async (claims: object, active: RingKey, key: KeyObject): Promise<string> => {
  const { algorithm, kid } = active
  if (algorithm !== 'EdDSA') {
    sign ??= await loadSign()
    return sign(JSON.stringify(claims), key, { algorithm, header: { alg: algorithm, typ: accessTokenType, kid } })
  }
  // jsonwebtoken has no EdDSA.
  const signingInput = toSigningInput(claims, active)
  return `${signingInput}.${signWithPrivateKey(algorithm, key, signingInput).toString('base64url')}`
}

// The first signature loads jsonwebtoken, so that an application starts without it.
const loadSign = async () => (await import('jsonwebtoken')).default.sign
let sign: Awaited<ReturnType<typeof loadSign>> | undefined

// The encoded header and payload, which the signature covers (RFC 7515, section 5.1).
const toSigningInput = (claims: object, { algorithm: alg, kid }: RingKey): string =>
  `${encode({ alg, typ: accessTokenType, kid })}.${encode(claims)}`

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

const rethrow = (cause: unknown): never => {
  if (cause instanceof TimeoutError) throw new AuthError('jwt_auth_unavailable', { cause, detail: 'signing failed' })
  throw isAuthError(cause) && cause.code === 'jwt_auth_unavailable' ? cause : failed(cause)
}

// The format of an ECDSA signature in JWS is R and S side by side (RFC 7518, section 3.4).
const toJwsSignature = async (signed: unknown, { algorithm, signatureBytes }: RingKey): Promise<Buffer | undefined> => {
  if (!types.isUint8Array(signed)) return undefined
  const bytes = Buffer.from(signed)
  if (bytes.length === signatureBytes) return bytes
  if (!algorithm.startsWith('ES')) return undefined
  const { default: formatter } = await import('ecdsa-sig-formatter')
  try {
    return Buffer.from(formatter.derToJose(bytes, algorithm), 'base64url')
  } catch {
    return undefined
  }
}

// Any other code would blame the client.
const failed = (cause: unknown): AuthError =>
  new AuthError('jwt_auth_internal_error', { cause, detail: 'signing failed' })
