import { createSecretKey, KeyObject } from 'node:crypto'
import { optionError } from '../errors/option-error.js'
import { type HmacAlgorithm, hashBytes } from './algorithm.js'
import { deriveSecret, deriveServiceSecret } from './derive-secret.js'
import { isKeyText } from './key-text.js'
import type { LocalSigningKey, RingKey } from './ring-key.js'
import { createSignatureCheck } from './signature.js'
import { isWellKnown } from './well-known-secrets.js'
import { wrongKey } from './wrong-key.js'

/** A signing secret: text (its UTF-8 bytes as written, never decoded), bytes, or a secret `KeyObject`. */
export type Secret = string | Uint8Array | KeyObject

const suggestion = `make one with: node -e "console.log(require('crypto').randomBytes(48).toString('base64url'))"`

// Fewer different byte values than this come from a hand on one key, never from a generator: 32 random hexadecimal
// digits, the poorest honest alphabet, hold fewer than 6 different ones once in some billion billion secrets.
const fewestDifferentBytes = 6

/** Reads one secret into a key that signs and verifies, or says what is wrong with it without showing it. */
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
  // A file of one line ends with a line break.
  const line = Buffer.from(bytes.toString('latin1').trim(), 'latin1')
  if (new Set(line).size < fewestDifferentBytes) throw weakSecret(name, 'made of too few different characters')
  if (isRepeated(line)) throw weakSecret(name, 'something short over and over')
  if (isInRow(bytes)) throw weakSecret(name, 'made of bytes that follow one another')
  if (isWellKnown(bytes)) throw weakSecret(name, 'a placeholder or an example from a guide')
}

// A word, a digit row or a keyboard row, repeated to fill the length.
const isRepeated = (bytes: Buffer): boolean =>
  Array.from({ length: Math.floor(bytes.length / 2) }, (_, position) => position + 1).some((period) =>
    bytes.subarray(period).equals(bytes.subarray(0, bytes.length - period)),
  )

// 0, 1, 2, …, in steps of any size.
const isInRow = (bytes: Buffer): boolean => {
  const steps = Array.from(bytes.subarray(1), (byte, place) => (byte - (bytes[place] ?? 0)) & 0xff)
  return new Set(steps).size === 1
}

const weakSecret = (name: string, why: string): TypeError => wrongKey(name, `is too weak: it is ${why}`, suggestion)

const deriveKid = (key: KeyObject): string => deriveSecret({ key }, 'jwt-auth kid').toString('base64url').slice(0, 16)
