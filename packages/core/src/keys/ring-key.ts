import type { KeyObject } from 'node:crypto'
import type { Algorithm, PublicKeyAlgorithm } from './algorithm.js'
import type { PublicJwk } from './public-jwk.js'
import type { CheckSignature } from './signature.js'
import type { Signer } from './signer.js'

/** A key that signs, bound to its one algorithm. */
export type SigningKey = LocalSigningKey | RemoteSigningKey

/** A secret or a private key in this process. */
export interface LocalSigningKey {
  /** Derived from the key, so that all instances with the same key agree. */
  readonly kid: string
  readonly algorithm: Algorithm
  /** The secret, or the private key. Created once, since importing a key for each token is slow. */
  readonly key: KeyObject
}

/** A private key outside of this process. */
export interface RemoteSigningKey {
  /** Derived from the public key. */
  readonly kid: string
  readonly algorithm: PublicKeyAlgorithm
  readonly signer: Signer
}

/** A key that checks signatures, bound to its one algorithm. A token's header names the key and never chooses the algorithm. */
export interface VerificationKey {
  readonly kid: string
  readonly algorithm: Algorithm
  /** The secret, or the public key. */
  readonly key: KeyObject
  /** Returns whether a signature of {@link VerificationKey.signatureBytes} is valid. */
  readonly isValid: CheckSignature
  /** The length of every signature of this key, in bytes. */
  readonly signatureBytes: number
  /** The published form of the key; `undefined` for a secret. */
  readonly publicJwk: PublicJwk | undefined
}

/** A key of a ring: its half that verifies, and its half that signs when the key is active. */
export interface RingKey {
  readonly verification: VerificationKey
  /** `undefined` for a key that only verifies. */
  readonly signing: SigningKey | undefined
  /** The service secret that is derived from this key; `undefined` if only the public half was given. */
  readonly serviceSecret: Buffer | undefined
}

/** A key that signs. */
export interface ActiveRingKey extends RingKey {
  readonly signing: SigningKey
}
