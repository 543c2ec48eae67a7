/** An algorithm of secrets: one secret signs and verifies (RFC 7518, section 3.2). */
export type HmacAlgorithm = 'HS256' | 'HS384' | 'HS512'

/**
 * An algorithm of key pairs: a private key signs, its public key verifies (RFC 7518, sections 3.3 to 3.5; RFC 8037). `EdDSA` is
 * Ed25519.
 */
export type PublicKeyAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'

/** The algorithm of a key. Each key is bound to one algorithm, which a token's header never selects (RFC 8725, section 3.1). */
export type Algorithm = HmacAlgorithm | PublicKeyAlgorithm

/** The length of each hash in bytes: the length of a signature, and the minimum length of a secret (RFC 7518, section 3.2). */
export const hashBytes: Readonly<Record<HmacAlgorithm, number>> = { HS256: 32, HS384: 48, HS512: 64 }

/** The kind of public key that an algorithm needs. */
type KeyRequirement =
  | { readonly keyType: 'rsa' }
  | { readonly keyType: 'ed25519' }
  | {
      readonly keyType: 'ec'
      /** The name of the curve in RFC 7518. OpenSSL calls it `namedCurve`. */
      readonly curve: string
      readonly namedCurve: string
      readonly signatureBytes: number
    }

const rsa: KeyRequirement = { keyType: 'rsa' }

/** The kind of key of each algorithm (RFC 7518, section 3.1; RFC 8037, section 3.1). */
export const keyRequirements: Readonly<Record<PublicKeyAlgorithm, KeyRequirement>> = {
  RS256: rsa,
  RS384: rsa,
  RS512: rsa,
  PS256: rsa,
  PS384: rsa,
  PS512: rsa,
  ES256: { keyType: 'ec', curve: 'P-256', namedCurve: 'prime256v1', signatureBytes: 64 },
  ES384: { keyType: 'ec', curve: 'P-384', namedCurve: 'secp384r1', signatureBytes: 96 },
  ES512: { keyType: 'ec', curve: 'P-521', namedCurve: 'secp521r1', signatureBytes: 132 },
  EdDSA: { keyType: 'ed25519' },
}

/** Returns whether a value names an algorithm of secrets. */
export const isHmacAlgorithm = (value: unknown): value is HmacAlgorithm =>
  typeof value === 'string' && Object.hasOwn(hashBytes, value)

/** Returns whether a value names an algorithm of key pairs. */
export const isPublicKeyAlgorithm = (value: unknown): value is PublicKeyAlgorithm =>
  typeof value === 'string' && Object.hasOwn(keyRequirements, value)
