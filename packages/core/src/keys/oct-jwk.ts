import type { JsonWebKey } from 'node:crypto'
import type { Algorithm } from './algorithm.js'
import { checkJwk } from './check-jwk.js'
import type { KeyState } from './key-entry.js'
import { wrongKey } from './wrong-key.js'

/** Returns the bytes of a secret that is given as a JWK (RFC 7518, section 6.4), and anything else unchanged. */
export const unwrapOctJwk = (
  name: string,
  material: unknown,
  use: { readonly algorithm: Algorithm; readonly state: KeyState },
): unknown => {
  if (!isJwk(material)) return material
  const { kty, k } = checkJwk(name, material, use)
  if (kty !== 'oct') {
    throw wrongKey(
      name,
      `is a JWK of a key pair, and ${use.algorithm} needs a secret`,
      'name an algorithm of its type.',
    )
  }
  const bytes = Buffer.from(String(k), 'base64url')
  if (bytes.toString('base64url') === k) return bytes
  throw wrongKey(name, 'is a JWK whose `k` is no base64url', 'write it in that alphabet, without padding.')
}

const isJwk = (material: unknown): material is JsonWebKey =>
  typeof material === 'object' && material !== null && 'kty' in material
