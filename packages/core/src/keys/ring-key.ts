import { createHmac, type KeyObject } from 'node:crypto'
import type { Algorithm, PublicKeyAlgorithm } from './algorithm.js'
import type { Signer } from './key-entry.js'
import type { CheckSignature } from './signature.js'

/** A key that signs, bound to its algorithm. */
export type SigningKey = LocalSigningKey | RemoteSigningKey

/** A secret or a private key in this process. */
export interface LocalSigningKey {
  /** Derived from the key, so that all instances with the same key agree. */
  readonly kid: string
  /** The algorithm of its signatures. */
  readonly algorithm: Algorithm
  /** The secret, or the private key. Created once, because importing a key for each token is slow. */
  readonly key: KeyObject
}

/** A private key outside of this process. */
export interface RemoteSigningKey {
  /** Derived from the public key. */
  readonly kid: string
  /** The algorithm of its signatures. */
  readonly algorithm: PublicKeyAlgorithm
  /** Signs with the key. */
  readonly signer: Signer
}

/** A key that checks signatures, bound to its algorithm. A token's header names the key and never chooses the algorithm. */
export interface VerificationKey {
  /** The id that the header of a token names. */
  readonly kid: string
  /** The algorithm of its signatures. */
  readonly algorithm: Algorithm
  /** The secret, or the public key. */
  readonly key: KeyObject
  /** Returns whether a signature of {@link VerificationKey.signatureBytes} is valid. */
  readonly isValid: CheckSignature
  /** The length of every signature of this key, in bytes. */
  readonly signatureBytes: number
  /** The published form of the key. `undefined` for a secret. */
  readonly publicJwk: PublicJwk | undefined
}

/**
 * A public key as a JWK (RFC 7517). Besides the members below it has those of its type: `n` and `e` (RSA), `crv`, `x` and `y`
 * (EC), or `crv` and `x` (OKP).
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

/** A key of a ring: the half that verifies, and the half that signs if the key is active. */
export interface RingKey {
  /** Checks signatures. */
  readonly verification: VerificationKey
  /** Signs. `undefined` for a key that only verifies. */
  readonly signing: SigningKey | undefined
  /** The service secret that is derived from this key. `undefined` if only the public half was passed. */
  readonly serviceSecret: Buffer | undefined
}

/** A key that signs. */
export interface ActiveRingKey extends RingKey {
  /** Signs. */
  readonly signing: SigningKey
}

/**
 * Derives a secret for another purpose from a secret or a private key. All instances with the key derive the same secret, which
 * reveals nothing about the key.
 */
export const deriveSecret = (key: KeyObject, purpose: string): Buffer => {
  const bytes = key.type === 'secret' ? key.export() : key.export({ type: 'pkcs8', format: 'der' })
  // A purpose contains no dot, so it cannot be the signing input of a token.
  return createHmac('sha256', bytes).update(purpose).digest()
}

/** Derives the service secret of a key, from which successors of refresh tokens are derived (docs/decisions/0002). */
export const deriveServiceSecret = (key: KeyObject): Buffer => deriveSecret(key, 'jwt-auth refresh')
