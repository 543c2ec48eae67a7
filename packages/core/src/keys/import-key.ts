import { createPrivateKey, createPublicKey, type JsonWebKey, KeyObject } from 'node:crypto'
import { types } from 'node:util'
import { invalidOption, optionError } from '../option-checks.js'
import type { Algorithm } from './algorithm.js'
import type { KeyState } from './key.js'

/** What a key is imported for. */
export interface KeyUse {
  /** The algorithm that the key must fit. */
  readonly algorithm: Algorithm
  /** Whether the key must be able to sign. */
  readonly state: KeyState
}

/**
 * Imports a private or public key from PEM text or its bytes, a `KeyObject` or a JWK.
 *
 * @throws TypeError that names the problem and the fix, and never shows the key
 */
export const importKey = (name: string, material: unknown, use: KeyUse): KeyObject => {
  if (material instanceof KeyObject) return material
  if (typeof material === 'string') return importPem(name, material)
  if (types.isUint8Array(material)) return importPem(name, Buffer.from(material).toString('latin1'))
  if (types.isCryptoKey(material))
    throw invalidOption(name, 'is a CryptoKey', 'pass `KeyObject.from(key)` of node:crypto.')
  if (isObject(material)) return importJwk(name, checkJwk(name, material, use))
  throw optionError(name, 'PEM text, a KeyObject or a JWK', material, { isSecret: true })
}

const isObject = (value: unknown): value is JsonWebKey =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const importPem = (name: string, text: string): KeyObject => {
  const labels = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = '']) => label)
  const isPrivate = labels.some((label) => label.endsWith('PRIVATE KEY'))
  if (labels.includes('CERTIFICATE')) {
    if (isPrivate)
      throw invalidOption(name, 'is a private key with a certificate', 'pass the part with the private key.')
    throw invalidOption(name, 'is a certificate, whose dates and issuer are not checked', 'pass its public key.')
  }
  if (labels.includes('ENCRYPTED PRIVATE KEY') || text.includes('Proc-Type: 4,ENCRYPTED')) {
    throw invalidOption(name, 'is encrypted', 'decrypt it first: createPrivateKey({ key, passphrase }) of node:crypto.')
  }
  const create = isPrivate ? createPrivateKey : createPublicKey
  return createOrThrow(() => create(text), name, 'PEM text', text)
}

const importJwk = (name: string, jwk: JsonWebKey): KeyObject => {
  const create = jwk.d === undefined ? createPublicKey : createPrivateKey
  return createOrThrow(() => create({ key: jwk, format: 'jwk' }), name, 'JWK')
}

// A message of OpenSSL may quote its input.
const createOrThrow = (create: () => KeyObject, name: string, form: string, text = ''): KeyObject => {
  try {
    return create()
  } catch {
    const [, problem, fix] = damages.find(([pattern]) => pattern.test(text)) ?? []
    throw invalidOption(name, problem ?? `is not a valid key (${form})`, fix ?? 'pass the complete key.')
  }
}

// What environment variables and files of settings do to PEM text. The last pattern is the
// beginning of `-----BEGIN ` in base64.
const damages: readonly (readonly [RegExp, problem: string, fix: string])[] = [
  [/^\s*["'`]/, 'is between quotation marks', 'remove them where the key is set.'],
  [/\\n/, 'has `\\n` as two characters', "pass key.replaceAll('\\\\n', '\\n')."],
  [/^-{5}BEGIN [^\n]+\n?$/, 'has no line breaks', 'pass it with its line breaks, as they were.'],
  [/^[^\n]+\.(pem|key|p8|pub|crt|cer|der)\s*$/i, 'is the name of a file', 'pass the content of the file.'],
  [/^LS0tLS1CRUdJTi/, 'is PEM text in base64', "pass Buffer.from(key, 'base64')."],
]

/**
 * Returns the bytes of a secret that is a JWK (RFC 7518, section 6.4), and any other value
 * unchanged.
 *
 * @throws TypeError for a JWK that is not a secret, or is for another use
 */
export const unwrapOctJwk = (name: string, material: unknown, use: KeyUse): unknown => {
  if (!isObject(material) || !('kty' in material)) return material
  const { kty, k } = checkJwk(name, material, use)
  if (kty !== 'oct') {
    throw invalidOption(
      name,
      `is a JWK of a key pair, and ${use.algorithm} needs a secret`,
      'set the algorithm of the key.',
    )
  }
  const bytes = Buffer.from(String(k), 'base64url')
  if (bytes.toString('base64url') === k) return bytes
  throw invalidOption(name, 'is a JWK whose `k` is not base64url', 'encode it as base64url without padding.')
}

// Checks `use`, `key_ops` and `alg` (RFC 7517, sections 4.2 to 4.4), which are optional. Ignores
// `kid`.
const checkJwk = (name: string, jwk: JsonWebKey, { algorithm, state }: KeyUse): JsonWebKey => {
  const { use = 'sig', key_ops: operations = ['sign'], alg = algorithm } = jwk
  if (use === 'sig' && alg === algorithm && allows(operations, state)) return jwk
  throw invalidOption(
    name,
    `is a JWK for another use: its \`use\`, \`alg\` or \`key_ops\` is not that of a key for ${algorithm}`,
    'pass a key that was generated for this use.',
  )
}

// A private key for signing may be passed where its public half is enough.
const allows = (operations: unknown, state: KeyState): boolean =>
  Array.isArray(operations) && (operations.includes('sign') || (state === 'verify' && operations.includes('verify')))
