import jsonwebtoken from 'jsonwebtoken'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import { fromDerSignature, signWithPrivateKey } from '../keys/algorithm.js'
import type { LocalSigningKey, RemoteSigningKey, SigningKey, VerificationKey } from '../keys/key.js'
import type { KeyRing } from '../keys/key-ring.js'
import { type RunInTime, TimeoutError } from '../system.js'
import { accessTokenType, isSignedBy, parseJwsParts } from './compact-jws.js'

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
    return 'signer' in active ? signRemotely(claims, active, runInTime) : signLocally(claims, active)
  }

// `iat` prevents jsonwebtoken from reading a clock to add it.
const probe = { iat: 1 }

/**
 * Signs a probe with the active key and checks the signature, because node:crypto imports a private
 * key and the public key of another key pair without an error. Does not try a key outside of this
 * process, because each of its signatures is checked. Returns the ring.
 *
 * @throws TypeError when the signature is not valid
 */
export const requireMatchingKeys = (ring: KeyRing): KeyRing => {
  const { active } = ring
  if ('signer' in active) return ring
  const jws = parseJwsParts(signLocally(probe, active))
  const key = ring.find(active.kid)
  if (jws !== undefined && key !== undefined && isSignedBy(jws, active.algorithm, key)) return ring
  throw new TypeError(
    'jwt-auth: signatures of the active key do not verify, because its public part belongs to another key; pass a private key and a public key that belong together.',
  )
}

const signLocally = (claims: object, signing: LocalSigningKey): string => {
  const { algorithm, kid, key } = signing
  if (algorithm !== 'EdDSA') {
    return jsonwebtoken.sign(claims, key, { algorithm, header: { alg: algorithm, typ: accessTokenType, kid } })
  }
  // jsonwebtoken has no EdDSA.
  const signingInput = toSigningInput(claims, signing)
  return `${signingInput}.${signWithPrivateKey(algorithm, key, signingInput).toString('base64url')}`
}

// The encoded header and payload, which the signature covers (RFC 7515, section 5.1).
const toSigningInput = (claims: object, { algorithm: alg, kid }: SigningKey): string =>
  `${encode({ alg, typ: accessTokenType, kid })}.${encode(claims)}`

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

const signRemotely = async (claims: object, signing: RemoteSigningKey, runInTime: RunInTime): Promise<string> => {
  const signingInput = toSigningInput(claims, signing)
  const signed = await callSigner(signing, signingInput, runInTime)
  const signature = toJwsSignature(signed, signing.verification)
  if (signature === undefined || !signing.verification.isValid(signingInput, signature)) {
    throw failed(
      new TypeError(
        `jwt-auth: the signer of the active key (kid ${signing.kid}) returned no ${signing.algorithm} signature of that key over the signing input; check that the key and the algorithm are those of the key management service, and that the service hashes the input once.`,
      ),
    )
  }
  return `${signingInput}.${signature.toString('base64url')}`
}

const callSigner = async (
  { kid, algorithm, signer }: RemoteSigningKey,
  signingInput: string,
  runInTime: RunInTime,
): Promise<unknown> => {
  try {
    return await runInTime(async (getSignal) =>
      signer(Buffer.from(signingInput), { kid, algorithm, signal: getSignal() }),
    )
  } catch (cause) {
    if (cause instanceof TimeoutError) throw new AuthError('jwt_auth_unavailable', { cause, detail: 'signing failed' })
    throw isAuthError(cause) && cause.code === 'jwt_auth_unavailable' ? cause : failed(cause)
  }
}

const toJwsSignature = (signed: unknown, { algorithm, signatureBytes }: VerificationKey): Buffer | undefined => {
  if (!(signed instanceof Uint8Array)) return undefined
  const bytes = Buffer.from(signed)
  if (bytes.length === signatureBytes) return bytes
  return algorithm.startsWith('ES') ? fromDerSignature(bytes, signatureBytes) : undefined
}

// Any other code would blame the client.
const failed = (cause: unknown): AuthError =>
  new AuthError('jwt_auth_internal_error', { cause, detail: 'signing failed' })
