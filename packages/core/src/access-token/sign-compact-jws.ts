import jsonwebtoken from 'jsonwebtoken'
import type { LocalSigningKey, SigningKey } from '../keys/ring-key.js'
import { signWithPrivateKey } from '../keys/signature.js'
import { accessTokenType } from './compact-jws.js'

/** Signs claims with a key of this process and returns the access token. */
export const signCompactJws = (claims: object, signing: LocalSigningKey): string => {
  const { algorithm, kid, key } = signing
  if (algorithm !== 'EdDSA') {
    return jsonwebtoken.sign(claims, key, { algorithm, header: { alg: algorithm, typ: accessTokenType, kid } })
  }
  // jsonwebtoken has no EdDSA.
  const signingInput = toSigningInput(claims, signing)
  return `${signingInput}.${signWithPrivateKey(algorithm, key, signingInput).toString('base64url')}`
}

/** Returns the encoded header and payload of an access token, which a signature covers (RFC 7515, section 5.1). */
export const toSigningInput = (claims: object, { algorithm: alg, kid }: SigningKey): string =>
  `${encode({ alg, typ: accessTokenType, kid })}.${encode(claims)}`

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
