import { optionError } from '../errors/option-error.js'
import {
  type HmacAlgorithm,
  hashBytes,
  isHmacAlgorithm,
  isPublicKeyAlgorithm,
  keyRequirements,
} from '../keys/algorithm.js'
import type { KeyState } from '../keys/key-entry.js'
import { createKeyRing, type KeyRing, type ServiceSecrets } from '../keys/key-ring.js'
import { unwrapOctJwk } from '../keys/oct-jwk.js'
import { readKeyPair } from '../keys/read-key-pair.js'
import { readSecret } from '../keys/read-secret.js'
import type { ActiveRingKey, RingKey } from '../keys/ring-key.js'
import type { Signer } from '../keys/signer.js'
import { wrongKey } from '../keys/wrong-key.js'
import { checkRingKeys, type NamedKey } from './check-ring-keys.js'
import { checkOptionNames } from './option-checks.js'
import type { TokenServiceOptions } from './token-service-options.js'

type NamedActiveKey = NamedKey & ActiveRingKey

/** Reads whichever of the options `secret` and `keys` is set. The option `serviceSecret` may take the place of derived service secrets. */
export const readKeyRing = (
  { secret, algorithm, keys }: Pick<TokenServiceOptions, 'secret' | 'algorithm' | 'keys'>,
  serviceSecrets?: ServiceSecrets,
): KeyRing => {
  if (keys === undefined) return toRing(readSecrets(secret, readHmacAlgorithm(algorithm)), serviceSecrets)
  if (secret !== undefined) throw wrongKey('secret', 'stands beside `keys`', 'give one of the two.')
  if (algorithm === undefined) return readKeys(keys, serviceSecrets)
  throw wrongKey('algorithm', 'goes with `secret`', 'each of `keys` names its own.')
}

/** Reads the option `keys`, or the keys that `setKeys` received in its place. */
export const readKeys = (keys: unknown, serviceSecrets?: ServiceSecrets): KeyRing => {
  if (!Array.isArray(keys)) throw optionError('keys', 'a list of { key, algorithm, state }', keys, { isSecret: true })
  const read = keys.map((entry: unknown, position) => readEntry(`keys[${position}]`, entry))
  const active = read.filter(isActive)
  const [first, second] = active
  if (first === undefined) throw wrongKey('keys', 'has no active key', "give the key that signs the state 'active'.")
  if (second !== undefined) {
    throw wrongKey('keys', `has ${active.length} active keys`, "keep one, and give the others the state 'verify'.")
  }
  return toRing({ active: first, others: read.filter((key) => key !== first) }, serviceSecrets)
}

interface ReadKeys {
  readonly active: NamedActiveKey
  readonly others: readonly NamedKey[]
}

const readSecrets = (secret: unknown, algorithm: HmacAlgorithm): ReadKeys => {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  const [active, ...others] = secrets.map((one, position) => {
    const name = Array.isArray(secret) ? `secret[${position}]` : 'secret'
    return { name, ...readSecret(name, one, algorithm) }
  })
  if (active === undefined) throw new TypeError('jwt-auth: option `secret` is an empty list; give at least one secret.')
  return { active, others }
}

const readHmacAlgorithm = (algorithm: unknown): HmacAlgorithm => {
  if (algorithm === undefined) return 'HS256'
  if (isHmacAlgorithm(algorithm)) return algorithm
  throw optionError('algorithm', Object.keys(hashBytes).join(', '), algorithm)
}

const entryMembers = { key: true, algorithm: true, state: true, signer: true } as const

const readEntry = (name: string, entry: unknown): NamedKey => {
  if (typeof entry !== 'object' || entry === null)
    throw optionError(name, 'an object { key, algorithm, state }', entry, { isSecret: true })
  checkOptionNames(entry, entryMembers, name)
  const { key, algorithm, state, signer }: { key?: unknown; algorithm?: unknown; state?: unknown; signer?: unknown } =
    entry
  const use = {
    algorithm,
    state: readState(`${name}.state`, state),
    signer: readSigner(`${name}.signer`, signer),
    name,
  }
  if (use.signer !== undefined && (use.state === 'verify' || !isPublicKeyAlgorithm(algorithm))) {
    throw wrongKey(`${name}.signer`, 'goes with the public key that is active', 'omit it for secrets and other keys.')
  }
  return { name, ...readKey(`${name}.key`, key, use) }
}

const readSigner = (name: string, signer: unknown): Signer | undefined => {
  if (signer === undefined) return undefined
  if (typeof signer !== 'function') throw optionError(name, 'a function', signer)
  // The result is checked at each call.
  return (...call) => signer(...call)
}

const readState = (name: string, state: unknown): KeyState => {
  if (state === 'active' || state === 'verify') return state
  throw optionError(name, "'active' or 'verify'", state)
}

const readKey = (
  name: string,
  key: unknown,
  {
    algorithm,
    state,
    signer,
    name: entry,
  }: {
    readonly algorithm: unknown
    readonly state: KeyState
    readonly signer: Signer | undefined
    readonly name: string
  },
): RingKey => {
  if (isPublicKeyAlgorithm(algorithm)) return readKeyPair(name, key, { algorithm, state, signer })
  if (!isHmacAlgorithm(algorithm)) {
    throw optionError(`${entry}.algorithm`, Object.keys({ ...hashBytes, ...keyRequirements }).join(', '), algorithm)
  }
  const read = readSecret(name, unwrapOctJwk(name, key, { algorithm, state }), algorithm)
  return { ...read, signing: state === 'active' ? read.signing : undefined }
}

const isActive = (key: NamedKey): key is NamedActiveKey => key.signing !== undefined

const toRing = ({ active, others }: ReadKeys, serviceSecrets: ServiceSecrets | undefined): KeyRing => {
  checkRingKeys([active, ...others])
  return createKeyRing(active, others, serviceSecrets)
}
