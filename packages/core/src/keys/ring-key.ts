import type { KeyObject } from 'node:crypto'
import type { Algorithm } from './algorithm.js'
import type { PublicJwk } from './public-jwk.js'

/** What signs: a key bound to its one algorithm. */
export interface SigningKey {
  /** Derived from the key, so that all instances with the same key agree. */
  readonly kid: string
  readonly algorithm: Algorithm
  /** The secret, or the private key. Made once, at construction: importing a key anew for each token is slow. */
  readonly key: KeyObject
}

/** What checks signatures: a key bound to its one algorithm. The token's header only names it; it never chooses. */
export interface VerificationKey {
  readonly kid: string
  readonly algorithm: Algorithm
  /** The secret, or the public key. The same object for every token. */
  readonly key: KeyObject
  /** The one length a signature of this key has, in bytes. */
  readonly signatureBytes: number
  /** What may be published of it; `undefined` for a secret. */
  readonly publicJwk: PublicJwk | undefined
}

/** A key that was read: it verifies, and signs if it is the active key. */
export interface RingKey {
  readonly verification: VerificationKey
  /** `undefined` for a key that only verifies. */
  readonly signing: SigningKey | undefined
  /** The secret of the service that is derived from this key; `undefined` if only the public half was given. */
  readonly serviceSecret: Buffer | undefined
}

/** A key that signs. */
export interface ActiveRingKey extends RingKey {
  readonly signing: SigningKey
  readonly serviceSecret: Buffer
}
