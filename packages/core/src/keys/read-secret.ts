import { createSecretKey, KeyObject } from 'node:crypto'
import { optionError } from '../errors/option-error.js'
import { type HmacAlgorithm, hashBytes } from './algorithm.js'
import { deriveSecret, deriveServiceSecret } from './derive-secret.js'
import { isKeyText } from './key-text.js'
import type { LocalSigningKey, RingKey } from './ring-key.js'
import { createSignatureCheck } from './signature.js'
import { findWeakness } from './weak-secret.js'
import { makeSecret, wrongKey } from './wrong-key.js'

/** A signing secret: text (its UTF-8 bytes as written, never decoded), bytes, or a secret `KeyObject`. */
export type Secret = string | Uint8Array | KeyObject

/** Reads a secret into a key that signs and a key that verifies. Throws a `TypeError` that says what is wrong, without showing the secret. */
export const readSecret = (
  name: string,
  secret: unknown,
  algorithm: HmacAlgorithm,
): RingKey & { readonly signing: LocalSigningKey } => {
  const bytes = toBytes(name, secret)
  refuseWeak(name, bytes, algorithm)
  const key = createSecretKey(bytes)
  const signing = { kid: deriveKid(key), algorithm, key }
  return {
    signing,
    verification: {
      ...signing,
      isValid: createSignatureCheck(algorithm, key),
      signatureBytes: hashBytes[algorithm],
      publicJwk: undefined,
    },
    serviceSecret: deriveServiceSecret(signing),
  }
}

const toBytes = (name: string, secret: unknown): Buffer => {
  if (typeof secret === 'string' && secret.isWellFormed()) return Buffer.from(secret, 'utf8')
  if (secret instanceof Uint8Array) return Buffer.from(secret)
  if (secret instanceof KeyObject && secret.type === 'secret') return secret.export()
  throw optionError(name, 'a string, bytes, or a secret KeyObject', secret, { isSecret: true })
}

const refuseWeak = (name: string, bytes: Buffer, algorithm: HmacAlgorithm): void => {
  const minimum = hashBytes[algorithm]
  if (isKeyText(bytes)) {
    throw wrongKey(
      name,
      'is a key of a key pair, not a secret',
      "give it in option `keys`, with 'RS256', 'PS256', 'ES256' or 'EdDSA'.",
    )
  }
  if (bytes.length < minimum) {
    throw weakSecret(name, `${bytes.length} bytes long, and ${algorithm} needs at least ${minimum}`)
  }
  const weakness = findWeakness(bytes)
  if (weakness !== undefined) throw weakSecret(name, weakness)
}

const weakSecret = (name: string, why: string): TypeError => wrongKey(name, `is too weak: it is ${why}`, makeSecret)

const deriveKid = (key: KeyObject): string => deriveSecret({ key }, 'jwt-auth kid').toString('base64url').slice(0, 16)
