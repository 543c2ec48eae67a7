import { isUtf8 } from 'node:buffer'
import { createHmac, createPrivateKey, createPublicKey, createSecretKey, KeyObject } from 'node:crypto'
import { types } from 'node:util'
import { invalidOption, optionError } from '../option-checks.js'
import { createSignatureCheck, type HmacAlgorithm, hashBytes } from './algorithm.js'
import { generateSecret } from './key-ring.js'
import { findWeakness } from './weak-secret.js'

/**
 * Reads a secret into a key that signs and verifies.
 *
 * @throws TypeError that names the problem and the fix, and never shows the secret
 */
export const readSecret = (name: string, secret: unknown, algorithm: HmacAlgorithm) => {
  const bytes = toBytes(name, secret)
  checkStrength(name, bytes, algorithm)
  if (isUtf8(bytes)) checkSurroundings(name, bytes.toString())
  const key = createSecretKey(bytes)
  return {
    kid: derive(key, 'jwt-auth kid').toString('base64url').slice(0, 16),
    algorithm,
    key,
    isValid: createSignatureCheck(algorithm, key),
    signatureBytes: hashBytes[algorithm],
    publicJwk: undefined,
    signing: key,
    /** What successors of refresh tokens are derived from (docs/design/refresh-tokens.md). */
    serviceSecret: derive(key, 'jwt-auth refresh'),
  }
}

// A purpose contains no dot, so it cannot be the signing input of a token.
const derive = (key: KeyObject, purpose: string): Buffer => createHmac('sha256', key).update(purpose).digest()

const toBytes = (name: string, secret: unknown): Buffer => {
  if (secret === undefined) {
    const fix = `pass it, or set the environment variable that you read it from; ${generateSecret}`
    throw invalidOption(name, 'is missing', fix)
  }
  if (typeof secret === 'string' && secret.isWellFormed()) return Buffer.from(secret)
  // Also in another realm (jsdom, node:vm), where `instanceof` is false.
  if (types.isUint8Array(secret)) return Buffer.from(secret)
  if (secret instanceof KeyObject && secret.type === 'secret') return secret.export()
  throw optionError(name, 'a string, bytes, or a secret KeyObject', secret, { isSecret: true })
}

const checkStrength = (name: string, bytes: Buffer, algorithm: HmacAlgorithm): void => {
  const minimum = hashBytes[algorithm]
  if (isKeyOfPair(bytes)) {
    throw invalidOption(
      name,
      'is a key of a key pair, not a secret',
      "pass it in option `keys`, with 'RS256', 'PS256', 'ES256' or 'EdDSA'.",
    )
  }
  const weakness =
    bytes.length < minimum
      ? `${bytes.length} bytes long, and ${algorithm} needs at least ${minimum}`
      : findWeakness(bytes)
  if (weakness !== undefined) throw invalidOption(name, `is too weak: it is ${weakness}`, generateSecret)
}

// The same secret without these characters, on another instance, is another secret. Bytes may be
// the content of a file. Random bytes are text with white space around it, and random characters of
// a keyboard are letters between quotation marks, with a probability below 10⁻⁹ each.
const checkSurroundings = (name: string, secret: string): void => {
  if (/^\s|\s$/.test(secret)) {
    throw invalidOption(name, 'starts or ends with white space, such as a line break', 'remove it, with `trim()`.')
  }
  if (/^(["'`])[\w+/=.-]*\1$/.test(secret)) {
    throw invalidOption(name, 'is between quotation marks', 'remove them where the secret is set.')
  }
}

// Whether a secret is a key of a key pair: in PEM, as a JWK, in the format of OpenSSH, or in DER,
// even when all of it is encoded in base64, hexadecimal or UTF-16. A public key is known to
// everyone, who could then sign with it (key confusion, RFC 8725, section 2.1).
const isKeyOfPair = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1')
  const decodings = [
    bytes,
    Buffer.from(text, 'base64'),
    Buffer.from(text.trim(), 'hex'),
    Buffer.from(bytes.toString('utf16le'), 'latin1'),
  ]
  return decodings.some((decoding) => isMarked(decoding) || isDer(decoding))
}

const marks = [/-----BEGIN /, /^\s*\{.*"kty"/s, /^\s*(ssh-|ecdsa-sha2-)/]

const isMarked = (bytes: Buffer): boolean => marks.some((mark) => mark.test(bytes.toString('latin1')))

// The DER of a key starts with a sequence (X.690, section 8.9). OpenSSL is slow to refuse other
// bytes.
const derSequence = 0x30

const isDer = (key: Buffer): boolean =>
  key[0] === derSequence &&
  [
    () => createPublicKey({ key, format: 'der', type: 'spki' }),
    () => createPublicKey({ key, format: 'der', type: 'pkcs1' }),
    () => createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
    () => createPrivateKey({ key, format: 'der', type: 'sec1' }),
  ].some(succeeds)

const succeeds = (create: () => unknown): boolean => {
  try {
    create()
    return true
  } catch {
    return false
  }
}
