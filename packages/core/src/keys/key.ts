import type { KeyObject, webcrypto } from 'node:crypto'
import type { CallOptions } from '../system.js'
import type { Algorithm, CheckSignature, PublicKeyAlgorithm } from './algorithm.js'

/**
 * A signing secret: text (its UTF-8 bytes as written, never decoded), bytes, or a secret
 * `KeyObject`.
 */
export type Secret = string | Uint8Array | KeyObject

/** The use of a key: the active key signs and verifies, the other keys only verify. */
export type KeyState = 'active' | 'verify'

/** One key of the option `keys`. */
export interface KeyEntry {
  /**
   * For `HS256`, `HS384` and `HS512` a secret: text, bytes, a secret `KeyObject`, or a JWK of the
   * type `oct`. For the other algorithms a key of a key pair: PEM text or its bytes (PKCS #8, PKCS
   * #1, SEC 1, SPKI), a `KeyObject`, or a JWK. The active key is the private key, or the public key
   * if `signer` is set. A key that only verifies may be the public key.
   */
  readonly key: Secret | webcrypto.JsonWebKey | undefined
  /** The algorithm of the key. */
  readonly algorithm: Algorithm
  /** `active` for the one key that signs, `verify` for all others. */
  readonly state: KeyState
  /**
   * Signs with the private key outside of this process, such as in a key management service. Only
   * for an active public key.
   * @default none: `key` signs
   */
  readonly signer?: Signer | undefined
}

/** The key that a {@link Signer} signs with, and the deadline of the call. */
export interface SignerCall extends CallOptions {
  /** The RFC 7638 thumbprint of the public key, and the `kid` of the token. */
  readonly kid: string
  /** The algorithm of the key. */
  readonly algorithm: PublicKeyAlgorithm
  /** Aborts when `callTimeoutMs` has passed. */
  readonly signal: AbortSignal
}

/**
 * Signs with a private key that is outside of this process, such as a key in a key management
 * service. The library builds the header and the payload, calls the signer with the signing input,
 * and checks the signature with the public key before it returns the token.
 *
 * Return or resolve to the signature alone. An ECDSA signature may have the format of JWS (R and S
 * side by side) or be in DER, which AWS and Google Cloud return.
 *
 * A call that exceeds `callTimeoutMs` fails the login or the refresh with 503. Throw an
 * `AuthError` with the code `jwt_auth_unavailable`, and `retryAfterSeconds` if known, to respond
 * with 503 yourself, for example when the key management service throttles. For any other error,
 * the service responds with 500 and calls `onError`. A failed refresh leaves the refresh token
 * valid.
 *
 * @example
 * ```ts
 * const signer: Signer = async (signingInput, { signal }) => {
 *   const input = { KeyId, MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' }
 *   const command = new SignCommand({ ...input, Message: signingInput })
 *   const { Signature } = await kms.send(command, { abortSignal: signal })
 *   return Signature
 * }
 * ```
 */
export type Signer = (signingInput: Uint8Array, call: SignerCall) => Uint8Array | Promise<Uint8Array>

/**
 * A public key as a JWK (RFC 7517). Besides the members below it has those of its type: `n` and `e`
 * (RSA), `crv`, `x` and `y` (EC), or `crv` and `x` (OKP).
 */
export interface PublicJwk extends Readonly<Record<string, string>> {
  /** The type of the key: `RSA`, `EC` or `OKP`. */
  readonly kty: string
  /** The RFC 7638 thumbprint of the key. */
  readonly kid: string
  /** The algorithm of the key. */
  readonly alg: PublicKeyAlgorithm
  /** The key is for signatures. */
  readonly use: 'sig'
}

/**
 * A key of a ring, bound to its algorithm. A token's header names the key and never chooses the
 * algorithm.
 */
export interface RingKey {
  /** The id that the header of a token names. Derived from the key, so that all instances agree. */
  readonly kid: string
  /** The algorithm of its signatures. */
  readonly algorithm: Algorithm
  /** The secret, or the public key. */
  readonly key: KeyObject
  /** Returns whether a signature of {@link RingKey.signatureBytes} is valid. */
  readonly isValid: CheckSignature
  /** The length of every signature of this key, in bytes. */
  readonly signatureBytes: number
  /** The published form of the key. `undefined` for a secret. */
  readonly publicJwk: PublicJwk | undefined
  /**
   * What signs: the secret, the private key, or the function that calls the {@link Signer}.
   * `undefined` for a key that only verifies.
   */
  readonly signing: KeyObject | SignRemotely | undefined
}

/** Calls a {@link Signer} with a signing input. */
export type SignRemotely = (signingInput: Uint8Array, signal: AbortSignal) => ReturnType<Signer>

/** Returns whether a value has the form of a RFC 7638 thumbprint with SHA-256. */
export const isThumbprint = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(value)

/** A key that signs. */
export interface ActiveKey extends RingKey {
  /** What signs. */
  readonly signing: KeyObject | SignRemotely
}
