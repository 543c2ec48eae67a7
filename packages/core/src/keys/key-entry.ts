import type { webcrypto } from 'node:crypto'
import type { Algorithm } from './algorithm.js'
import type { Secret } from './read-secret.js'

/** What a key of a ring is for: the active one signs and verifies, the others only verify. */
export type KeyState = 'active' | 'verify'

/** One key of a ring, as the host gives it. */
export interface KeyEntry {
  /**
   * For `HS256`, `HS384`, `HS512` a secret: text, bytes, a secret `KeyObject`, or a JWK of the type `oct`. For the others a key
   * of a key pair: PEM text or its bytes (PKCS #8, PKCS #1, SEC 1, SPKI), a `KeyObject`, or a JWK. The active key is the private
   * one; of a key that only verifies the public half is enough, and all that is kept. `undefined` (a variable that was not
   * set) is refused at construction.
   */
  readonly key: Secret | webcrypto.JsonWebKey | undefined
  /** The one algorithm this key is used with. */
  readonly algorithm: Algorithm
  readonly state: KeyState
}
