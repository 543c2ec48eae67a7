import { createHash, type KeyObject } from 'node:crypto'
import type { PublicKeyAlgorithm } from './algorithm.js'

/** A public key as others may read it (RFC 7517). Beside these members it has those of its type: `n` and `e`, or `crv`, `x` and `y`. */
export interface PublicJwk extends Readonly<Record<string, string>> {
  readonly kty: string
  /** The key's thumbprint. */
  readonly kid: string
  readonly alg: PublicKeyAlgorithm
  readonly use: 'sig'
}

// What makes the key, in the order a thumbprint wants (RFC 7638, section 3.2). Picked by name, so that nothing private can
// come along.
const requiredMembers = { rsa: ['e', 'kty', 'n'], ec: ['crv', 'kty', 'x', 'y'] } as const

/** Writes an RSA or EC public key down, named by its own thumbprint (RFC 7638). */
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
