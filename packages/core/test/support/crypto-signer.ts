import { constants, createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import type { Signer } from '../../src/index.js'

/** The {@link Signer} port over node:crypto alone: the second implementation, as another library would write it. */
export const cryptoSigner: Signer = {
  sign: (claims, { key, algorithm: alg, kid }, typ) => {
    const input = `${encode({ kid, typ, alg })}.${encode(claims)}`
    return `${input}.${signInput(input, alg, key).toString('base64url')}`
  },

  isSignedBy: (token, { key, algorithm }) => {
    const end = token.lastIndexOf('.')
    const input = token.slice(0, end)
    const signature = Buffer.from(token.slice(end + 1), 'base64url')
    if (algorithm.startsWith('HS')) return timingSafeEqual(signInput(input, algorithm, key), signature)
    return verify(hashOf(algorithm), Buffer.from(input), { key, ...parametersOf(algorithm) }, signature)
  },
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const hashOf = (algorithm: string): string => `sha${algorithm.slice(2)}`

const signInput = (input: string, algorithm: string, key: KeyObject): Buffer =>
  algorithm.startsWith('HS')
    ? createHmac(hashOf(algorithm), key).update(input).digest()
    : sign(hashOf(algorithm), Buffer.from(input), { key, ...parametersOf(algorithm) })

// RFC 7518, sections 3.4 and 3.5.
const parametersOf = (algorithm: string) => {
  if (algorithm.startsWith('ES')) return { dsaEncoding: 'ieee-p1363' } as const
  if (algorithm.startsWith('RS')) return { padding: constants.RSA_PKCS1_PADDING }
  return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
}
