/** One secret signs and verifies (RFC 7518, section 3.2). */
export type HmacAlgorithm = 'HS256' | 'HS384' | 'HS512'

/** A private key signs, its public key verifies (RFC 7518, sections 3.3 to 3.5; `EdDSA` with Ed25519: RFC 8037). */
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

/** What a key signs with. Each key is bound to one of these; a token's header never chooses (RFC 8725, section 3.1). */
export type Algorithm = HmacAlgorithm | PublicKeyAlgorithm

/** Length of the hash, in bytes: that of the signature, and the least a secret must have (RFC 7518, section 3.2). */
export const hashBytes: Readonly<Record<HmacAlgorithm, number>> = { HS256: 32, HS384: 48, HS512: 64 }

/** What an algorithm asks of a public key. */
export type KeyRequirement =
  | { readonly keyType: 'rsa' }
  | { readonly keyType: 'ed25519' }
  | {
      readonly keyType: 'ec'
      /** As RFC 7518 names it, and as OpenSSL does. */
      readonly curve: string
      readonly namedCurve: string
      readonly signatureBytes: number
    }

const rsa: KeyRequirement = { keyType: 'rsa' }

/** The one table from algorithm to key (RFC 7518, section 3.1). */
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

/** Whether a value names an algorithm of secrets. */
export const isHmacAlgorithm = (value: unknown): value is HmacAlgorithm =>
  typeof value === 'string' && Object.hasOwn(hashBytes, value)

/** Whether a value names an algorithm of key pairs. */
export const isPublicKeyAlgorithm = (value: unknown): value is PublicKeyAlgorithm =>
  typeof value === 'string' && Object.hasOwn(keyRequirements, value)
