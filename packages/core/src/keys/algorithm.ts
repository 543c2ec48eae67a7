import { constants, createHmac, type KeyObject, sign, timingSafeEqual, verify } from 'node:crypto'

/** An algorithm of secrets: one secret signs and verifies (RFC 7518, section 3.2). */
export type HmacAlgorithm = 'HS256' | 'HS384' | 'HS512'

/**
 * The length of each hash in bytes: the length of a signature, and the minimum length of a secret
 * (RFC 7518, section 3.2).
 */
export const hashBytes: Readonly<Record<HmacAlgorithm, number>> = { HS256: 32, HS384: 48, HS512: 64 }

const rsa = { keyType: 'rsa' } as const

/**
 * The kind of public key that each algorithm needs (RFC 7518, section 3.1; RFC 8037, section 3.1).
 * `curve` is the name of a curve in RFC 7518, and `namedCurve` the name in OpenSSL.
 */
export const keyRequirements = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  ES256: { keyType: 'ec', curve: 'P-256', namedCurve: 'prime256v1', signatureBytes: 64 },
  ES384: { keyType: 'ec', curve: 'P-384', namedCurve: 'secp384r1', signatureBytes: 96 },
  ES512: { keyType: 'ec', curve: 'P-521', namedCurve: 'secp521r1', signatureBytes: 132 },
  EdDSA: { keyType: 'ed25519', signatureBytes: 64 },
} as const

/**
 * An algorithm of key pairs: a private key signs, its public key verifies (RFC 7518, sections 3.3
 * to 3.5; RFC 8037). `EdDSA` is Ed25519.
 */
export type PublicKeyAlgorithm = keyof typeof keyRequirements

/**
 * The algorithm of a key. Each key is bound to one algorithm, which a token's header never selects
 * (RFC 8725, section 3.1).
 */
export type Algorithm = HmacAlgorithm | PublicKeyAlgorithm

/** Returns whether a value names an algorithm of secrets. */
export const isHmacAlgorithm = (value: unknown): value is HmacAlgorithm =>
  typeof value === 'string' && Object.hasOwn(hashBytes, value)

/** Returns whether a value names an algorithm of key pairs. */
export const isPublicKeyAlgorithm = (value: unknown): value is PublicKeyAlgorithm =>
  typeof value === 'string' && Object.hasOwn(keyRequirements, value)

/**
 * Returns whether a signature over a signing input (RFC 7515, section 5.2) is valid. The signature
 * has the length of the key's signatures.
 */
export type CheckSignature = (signingInput: string, signature: Buffer) => boolean

/** Creates the function that checks the signatures of one key under its algorithm. */
export const createSignatureCheck = (algorithm: Algorithm, key: KeyObject): CheckSignature => {
  const hash = toHash(algorithm)
  if (hash !== undefined && algorithm.startsWith('HS')) {
    return (input, signature) => timingSafeEqual(createHmac(hash, key).update(input).digest(), signature)
  }
  const publicKey = { key, ...toParameters(algorithm) }
  return (input, signature) => verify(hash, Buffer.from(input), publicKey, signature)
}

/**
 * Signs with a private key. Returns the format of JWS: R and S of an ECDSA signature stand side by
 * side (RFC 7518, section 3.4).
 */
export const signWithPrivateKey = (algorithm: Algorithm, key: KeyObject, signingInput: string): Buffer =>
  sign(toHash(algorithm), Buffer.from(signingInput), { key, ...toParameters(algorithm) })

// EdDSA hashes by itself (RFC 8032, section 5.1.6).
const toHash = (algorithm: Algorithm): string | undefined =>
  algorithm === 'EdDSA' ? undefined : `sha${algorithm.slice(2)}`

// RFC 7518, sections 3.3 to 3.5. An RSA key without parameters signs with RSASSA-PKCS1-v1_5.
const toParameters = (algorithm: Algorithm) => {
  if (algorithm.startsWith('PS')) {
    return { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  }
  return { dsaEncoding: 'ieee-p1363' } as const
}
