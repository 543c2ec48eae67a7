import { signCompactJws, toSigningInput } from '../access-token/sign-compact-jws.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { KeyRing } from '../keys/key-ring.js'
import type { RemoteSigningKey, VerificationKey } from '../keys/ring-key.js'
import { fromDerSignature } from '../keys/signature.js'
import { type RunInTime, TimeoutError } from '../ports/deadline.js'

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
    const {
      active,
      verificationKeys: [verification],
    } = keyRing
    return 'signer' in active
      ? signRemotely(claims, active, { verification, runInTime })
      : signCompactJws(claims, active)
  }

const signRemotely = async (
  claims: object,
  signing: RemoteSigningKey,
  { verification, runInTime }: { readonly verification: VerificationKey | undefined; readonly runInTime: RunInTime },
): Promise<string> => {
  const signingInput = toSigningInput(claims, signing)
  const answer = await callSigner(signing, signingInput, runInTime)
  const signature = toJwsSignature(answer, verification)
  if (signature === undefined || !verification?.isValid(signingInput, signature)) {
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

const toJwsSignature = (answer: unknown, verification: VerificationKey | undefined): Buffer | undefined => {
  if (!(answer instanceof Uint8Array) || verification === undefined) return undefined
  const bytes = Buffer.from(answer)
  if (bytes.length === verification.signatureBytes) return bytes
  return verification.algorithm.startsWith('ES') ? fromDerSignature(bytes, verification.signatureBytes) : undefined
}

// Any other code would blame the client.
const failed = (cause: unknown): AuthError =>
  new AuthError('jwt_auth_internal_error', { cause, detail: 'signing failed' })
