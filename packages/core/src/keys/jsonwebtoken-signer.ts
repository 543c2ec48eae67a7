import jsonwebtoken from 'jsonwebtoken'
import type { Signer } from './signer.js'

/** jsonwebtoken behind the {@link Signer} port. */
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
