import { constants, createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'
import type { Algorithm } from './algorithm.js'

/** Returns whether a signature over a signing input (RFC 7515, section 5.2) is valid. The signature has the length of the key's signatures. */
export type CheckSignature = (signingInput: string, signature: Buffer) => boolean

/** Creates the function that checks the signatures of one key under its one algorithm. */
export const createSignatureCheck = (algorithm: Algorithm, key: KeyObject): CheckSignature => {
  const hash = hashOf(algorithm)
  if (hash !== undefined && algorithm.startsWith('HS')) {
    return (input, signature) => timingSafeEqual(createHmac(hash, key).update(input).digest(), signature)
  }
  const publicKey = { key, ...parametersOf(algorithm) }
  return (input, signature) => verify(hash, Buffer.from(input), publicKey, signature)
}

/** Signs with a private key, in the format of JWS: R and S of an ECDSA signature stand side by side (RFC 7518, section 3.4). */
export const signWithPrivateKey = (algorithm: Algorithm, key: KeyObject, signingInput: string): Buffer =>
  sign(hashOf(algorithm), Buffer.from(signingInput), { key, ...parametersOf(algorithm) })

// EdDSA hashes by itself (RFC 8032, section 5.1.6).
const hashOf = (algorithm: Algorithm): string | undefined =>
  algorithm === 'EdDSA' ? undefined : `sha${algorithm.slice(2)}`

// RFC 7518, sections 3.3 to 3.5.
const parametersOf = (algorithm: Algorithm) => {
  if (algorithm.startsWith('RS')) return { padding: constants.RSA_PKCS1_PADDING }
  if (algorithm.startsWith('PS')) {
    return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  }
  return { dsaEncoding: 'ieee-p1363' } as const
}
