import { createPrivateKey, createPublicKey, type JsonWebKey, KeyObject } from 'node:crypto'
import { optionError } from '../errors/option-error.js'
import type { Algorithm } from './algorithm.js'
import { checkJwk } from './check-jwk.js'
import type { KeyState } from './key-entry.js'
import { wrongKey } from './wrong-key.js'

/**
 * Imports a private or public key from PEM text or its bytes, a `KeyObject` or a JWK. Throws a `TypeError` that does not show the key.
 */
export const importKey = (
  name: string,
  material: unknown,
  use: { readonly algorithm: Algorithm; readonly state: KeyState },
): KeyObject => {
  if (material instanceof KeyObject) return material
  if (typeof material === 'string') return importPem(name, material)
  if (material instanceof Uint8Array) return importPem(name, Buffer.from(material).toString('latin1'))
  if (isObject(material)) return importJwk(name, checkJwk(name, material, use))
  throw optionError(name, 'PEM text, a KeyObject or a JWK', material, { isSecret: true })
}

const isObject = (value: unknown): value is JsonWebKey =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const importPem = (name: string, text: string): KeyObject => {
  const labels = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = '']) => label)
  if (labels.includes('CERTIFICATE')) {
    throw wrongKey(name, 'is a certificate, of which nobody here checks dates and issuer', 'give its public key alone.')
  }
  if (labels.includes('ENCRYPTED PRIVATE KEY') || text.includes('Proc-Type: 4,ENCRYPTED')) {
    throw wrongKey(name, 'is encrypted', 'decrypt it first, with createPrivateKey({ key, passphrase }) of node:crypto.')
  }
  const create = labels.some((label) => label.endsWith('PRIVATE KEY')) ? createPrivateKey : createPublicKey
  return readOrRefuse(() => create(text), name, 'PEM text')
}

const importJwk = (name: string, jwk: JsonWebKey): KeyObject => {
  const create = jwk.d === undefined ? createPublicKey : createPrivateKey
  return readOrRefuse(() => create({ key: jwk, format: 'jwk' }), name, 'JWK')
}

// A message of OpenSSL may quote its input.
const readOrRefuse = (read: () => KeyObject, name: string, form: string): KeyObject => {
  try {
    return read()
  } catch {
    throw wrongKey(name, `holds no key that can be read from ${form}`, 'give the whole of it, with its line ends.')
  }
}
