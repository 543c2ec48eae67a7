import { createHash, type KeyObject } from 'node:crypto'
import type { PublicKeyAlgorithm } from './algorithm.js'

/** A public key as others may read it (RFC 7517). It also has the members of its type: `n` and `e`, `crv`, `x` and `y`, or `crv` and `x`. */
export interface PublicJwk extends Readonly<Record<string, string>> {
  readonly kty: string
  /** The key's thumbprint. */
  readonly kid: string
  readonly alg: PublicKeyAlgorithm
  readonly use: 'sig'
}

// The members that a thumbprint covers, in its order (RFC 7638, section 3.2; RFC 8037, section 2). They are picked by name, so that no
// private member is published.
const requiredMembers = { rsa: ['e', 'kty', 'n'], ec: ['crv', 'kty', 'x', 'y'], ed25519: ['crv', 'kty', 'x'] } as const

/** Returns the published form of a public key. Its `kid` is its thumbprint (RFC 7638). */
export const toPublicJwk = (
  key: KeyObject,
  keyType: keyof typeof requiredMembers,
  algorithm: PublicKeyAlgorithm,
): PublicJwk => {
  const jwk = key.export({ format: 'jwk' })
  const required = Object.fromEntries(requiredMembers[keyType].map((name) => [name, String(jwk[name])]))
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url')
  return { ...required, kty: String(jwk.kty), kid, alg: algorithm, use: 'sig' }
}
