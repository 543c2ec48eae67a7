import type { SigningKey, VerificationKey } from './ring-key.js'

/**
 * Signs and checks compact JWS (RFC 7515): the port to the library that does the cryptography, jsonwebtoken unless the host
 * gives another. Policy is not its job: it sees only tokens that passed the strict parse, under the key the ring holds for
 * their `kid`, with that key's algorithm in their header and a signature of the right length. Both methods answer at once,
 * without a promise, and are tried with every ring before it is used.
 *
 * @example
 * const signer: Signer = {
 *   sign: (claims, { key, algorithm, kid }, typ) => library.sign(claims, key, { header: { alg: algorithm, typ, kid } }),
 *   isSignedBy: (token, { key, algorithm }) => library.verifySignature(token, key, algorithm),
 * }
 */
export interface Signer {
  /**
   * The compact serialization of exactly these claims under this key, with the header `{alg, typ, kid}` and nothing else.
   * What it throws fails the login or the refresh with 500.
   */
  readonly sign: (claims: object, key: SigningKey, typ: string) => string
  /**
   * Whether the token's signature is this key's, under the key's own algorithm: exactly `true` lets the token on, anything
   * else refuses it. Claims, `exp` among them, are not looked at. What it throws is a failure of the service, 500.
   */
  readonly isSignedBy: (token: string, key: VerificationKey) => boolean
}
