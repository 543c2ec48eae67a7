import type { webcrypto } from 'node:crypto'
import type { Algorithm } from './algorithm.js'
import type { Secret } from './read-secret.js'
import type { Signer } from './signer.js'

/** What a key of a ring is for: the active key signs and verifies, the other keys only verify. */
export type KeyState = 'active' | 'verify'

/** One key of the option `keys`. */
export interface KeyEntry {
  /**
   * For `HS256`, `HS384`, `HS512` a secret: text, bytes, a secret `KeyObject`, or a JWK of the type `oct`. For the other algorithms a key
   * of a key pair: PEM text or its bytes (PKCS #8, PKCS #1, SEC 1, SPKI), a `KeyObject`, or a JWK. The active key is the private key, or
   * the public key when `signer` is given. The public half is enough for a key that only verifies, and all that is kept. `undefined`
   * (a variable that was not set) is refused at construction.
   */
  readonly key: Secret | webcrypto.JsonWebKey | undefined
  /** The one algorithm this key is used with. */
  readonly algorithm: Algorithm
  readonly state: KeyState
  /**
   * Signs with the private key outside of this process, such as in a key management service. Only for an active public key.
   * @default none: `key` signs
   */
  readonly signer?: Signer | undefined
}
