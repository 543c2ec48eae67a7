import type { Awaitable } from '../awaitable.js'
import type { CallOptions } from '../ports/call-options.js'
import type { PublicKeyAlgorithm } from './algorithm.js'

/** The key that a {@link Signer} signs with, and the deadline of the call. */
export interface SignerCall extends CallOptions {
  /** The RFC 7638 thumbprint of the public key, and the `kid` of the token. */
  readonly kid: string
  /** The algorithm of the key. */
  readonly algorithm: PublicKeyAlgorithm
  /** Aborts when `storageTimeoutMs` has passed. */
  readonly signal: AbortSignal
}

/**
 * Signs with a private key that is outside of this process, such as a key in a key management service. The library builds the header and
 * the payload, calls the signer with the signing input, and checks the signature with the public key before it hands the token out.
 *
 * Return or resolve to the signature alone. An ECDSA signature may have the format of JWS (R and S side by side) or be in DER, which AWS
 * and Google Cloud return.
 *
 * A call that exceeds `storageTimeoutMs` fails the login or the refresh with 503. Throw an `AuthError` with the code
 * `jwt_auth_unavailable`, and `retryAfterSeconds` if known, to respond with 503 yourself, for example when the key management service
 * throttles. Any other error responds with 500 and goes to `onError`. A refresh that fails consumes nothing.
 *
 * @example
 * const signer: Signer = async (signingInput, { signal }) => {
 *   const command = new SignCommand({ KeyId, Message: signingInput, MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' })
 *   const { Signature } = await kms.send(command, { abortSignal: signal })
 *   return Signature
 * }
 */
export type Signer = (signingInput: Uint8Array, call: SignerCall) => Awaitable<Uint8Array>
