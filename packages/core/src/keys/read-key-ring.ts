import { checkOptionNames, invalidOption, optionError, readFunction } from '../option-checks.js'
import { type HmacAlgorithm, hashBytes, isHmacAlgorithm, isPublicKeyAlgorithm, keyRequirements } from './algorithm.js'
import { checkRingKeys, type NamedKey } from './check-ring-keys.js'
import { unwrapOctJwk } from './import-key.js'
import type { ActiveKey, KeyEntry } from './key.js'
import { createKeyRing, type KeyRing, type ServiceSecrets } from './key-ring.js'
import { readKeyPair } from './read-key-pair.js'
import { readSecret } from './read-secret.js'

/** The options of the keys, before they are checked. */
interface KeyOptions {
  readonly secret?: unknown
  readonly algorithm?: unknown
  readonly keys?: unknown
}

/**
 * Reads the options `secret`, `algorithm` and `keys`. Without `keys`, the secrets sign.
 *
 * @throws TypeError that names the option, and never shows a key
 */
export const readServiceKeys = ({ secret, algorithm, keys }: KeyOptions) => {
  if (keys !== undefined && algorithm !== undefined)
    throw invalidOption('algorithm', 'is set together with `keys`', 'set it in each of `keys` only.')
  const secrets = readSecrets('secret', secret, readHmacAlgorithm(algorithm))
  checkRingKeys(secrets)
  const [first, ...others] = secrets
  const serviceSecrets: ServiceSecrets = [first.serviceSecret, ...others.map((key) => key.serviceSecret)]
  return { serviceSecrets, keyRing: keys === undefined ? createKeyRing(secrets) : readKeys(keys) }
}

/**
 * Reads the option `keys`, or the keys that `setKeys` received.
 *
 * @throws TypeError that names the option, and never shows a key
 */
export const readKeys = (keys: unknown): KeyRing => {
  if (!Array.isArray(keys)) throw optionError('keys', 'a list of { key, algorithm, state }', keys, { isSecret: true })
  const read = keys.map((entry: unknown, position) => readEntry(`keys[${position}]`, entry))
  const [active, ...surplus] = read.filter(isActive)
  if (active === undefined) {
    throw invalidOption('keys', 'has no active key', "set the state 'active' on the key that signs.")
  }
  if (surplus.length > 0) {
    throw invalidOption('keys', `has ${surplus.length + 1} active keys`, "set the state 'verify' on all but one.")
  }
  checkRingKeys(read)
  return createKeyRing([active, ...read.filter((key) => key !== active)])
}

const readSecrets = (option: string, secret: unknown, algorithm: HmacAlgorithm) => {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const [first, ...others] = secrets.map((one, position) => {
    const name = Array.isArray(secret) ? `${option}[${position}]` : option
    return { name, ...readSecret(name, one, algorithm) }
  })
  if (first === undefined) throw invalidOption(option, 'is an empty list', 'pass at least one secret.')
  return [first, ...others] as const
}

const readHmacAlgorithm = (algorithm: unknown): HmacAlgorithm => {
  if (algorithm === undefined) return 'HS256'
  if (isHmacAlgorithm(algorithm)) return algorithm
  if (isPublicKeyAlgorithm(algorithm)) {
    const fix = `pass \`keys: [{ key, algorithm: '${algorithm}', state: 'active' }]\` instead of \`secret\` and \`algorithm\`.`
    throw invalidOption('algorithm', `is ${algorithm}, which needs a key pair`, fix)
  }
  throw optionError('algorithm', Object.keys(hashBytes).join(', '), algorithm)
}

const entryMembers: Record<keyof KeyEntry, true> = { key: true, algorithm: true, state: true, signer: true }

const readEntry = (name: string, entry: unknown): NamedKey => {
  if (typeof entry !== 'object' || entry === null) {
    throw optionError(name, 'an object { key, algorithm, state }', entry, { isSecret: true })
  }
  const own: { readonly [Member in keyof KeyEntry]?: unknown } & Pick<KeyEntry, 'signer'> = checkOptionNames(
    entry,
    entryMembers,
    name,
  )
  const { key, algorithm, state } = own
  if (state !== 'active' && state !== 'verify') throw optionError(`${name}.state`, "'active' or 'verify'", state)
  if (typeof key === 'object' && key !== null && 'privateKey' in key) {
    throw invalidOption(
      `${name}.key`,
      'is a key pair',
      'pass its `privateKey`, or its `publicKey` for a key that only verifies.',
    )
  }
  const signer = readFunction(`${name}.signer`, own.signer)
  if (signer !== undefined && (state === 'verify' || !isPublicKeyAlgorithm(algorithm))) {
    throw invalidOption(`${name}.signer`, 'applies only to an active public key', 'omit it for all other keys.')
  }
  if (isPublicKeyAlgorithm(algorithm)) {
    return { name, ...readKeyPair(`${name}.key`, key, { algorithm, state, signer }) }
  }
  if (!isHmacAlgorithm(algorithm)) {
    throw optionError(`${name}.algorithm`, Object.keys({ ...hashBytes, ...keyRequirements }).join(', '), algorithm)
  }
  const secret = unwrapOctJwk(`${name}.key`, key, { algorithm, state })
  const read = readSecret(`${name}.key`, secret, algorithm)
  return { name, ...read, signing: state === 'active' ? read.signing : undefined }
}

const isActive = (key: NamedKey): key is NamedKey & ActiveKey => key.signing !== undefined
