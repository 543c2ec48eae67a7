import jsonwebtoken from 'jsonwebtoken'
import type { SigningKey } from './signing-key.js'

/** Signs and checks compact JWS (RFC 7515). Knows nothing of claims: policy is not its job. */
export interface Signer {
  /** The compact serialization of these claims under this key, with the given `typ` in its header. */
  readonly sign: (claims: object, key: SigningKey, typ: string) => string
  /** Whether the token's signature is this key's, under the key's own algorithm. */
  readonly isSignedBy: (token: string, key: SigningKey) => boolean
}

/** jsonwebtoken behind the {@link Signer} port. It only sees tokens that passed the strict parse. */
export const jsonwebtokenSigner: Signer = {
  sign: (claims, { key, algorithm, kid }, typ) =>
    jsonwebtoken.sign(claims, key, { algorithm, header: { alg: algorithm, typ, kid } }),

  isSignedBy: (token, { key, algorithm }) => {
    try {
      jsonwebtoken.verify(token, key, { algorithms: [algorithm], ignoreExpiration: true, ignoreNotBefore: true })
      return true
    } catch (error) {
      if (error instanceof jsonwebtoken.JsonWebTokenError) return false
      throw error
    }
  },
}
