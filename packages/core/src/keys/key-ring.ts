import type { ActiveRingKey, RingKey, SigningKey, VerificationKey } from './ring-key.js'
import { makeSecret, wrongKey } from './wrong-key.js'

/** The keys of a service: the active key signs, all keys verify. */
export interface KeyRing {
  readonly active: SigningKey
  /** Returns the key with this id; `undefined` when the ring has none. */
  readonly find: (kid: string) => VerificationKey | undefined
  /** All keys, the active key first. */
  readonly verificationKeys: readonly VerificationKey[]
  /** Secrets that only instances of this service have. The first derives new values, the others check former ones. */
  readonly serviceSecrets: ServiceSecrets
}

/** At least one secret. */
export type ServiceSecrets = readonly [Buffer, ...Buffer[]]

/** A ring that can be replaced while it is in use. */
export interface ReplaceableKeyRing extends KeyRing {
  /** Replaces all keys in one assignment. Throws a `TypeError`, and changes nothing, when the next ring is of the other kind. */
  readonly replace: (next: KeyRing) => void
}

/**
 * Creates a ring of different keys.
 *
 * @param serviceSecrets the secrets of the option `serviceSecret`, in place of those that are derived from the keys
 * @throws TypeError when there is no service secret for the active key
 */
export const createKeyRing = (
  active: ActiveRingKey,
  others: readonly RingKey[] = [],
  serviceSecrets: ServiceSecrets = deriveServiceSecrets(active, others),
): KeyRing =>
  toRing(active.signing, {
    verificationKeys: [active, ...others].map(({ verification }) => verification),
    serviceSecrets,
  })

const deriveServiceSecrets = ({ serviceSecret: first }: ActiveRingKey, others: readonly RingKey[]): ServiceSecrets => {
  if (first !== undefined) return [first, ...others.flatMap(({ serviceSecret }) => serviceSecret ?? [])]
  throw wrongKey('serviceSecret', 'is required when the active key has a `signer`', makeSecret)
}

/** Creates a ring that can be replaced. */
export const createReplaceableKeyRing = (first: KeyRing): ReplaceableKeyRing => {
  let ring = first
  return {
    get active() {
      return ring.active
    },
    find: (kid) => ring.find(kid),
    get verificationKeys() {
      return ring.verificationKeys
    },
    get serviceSecrets() {
      return ring.serviceSecrets
    },
    replace: (next) => {
      if (isSymmetric(next) !== isSymmetric(ring)) throw otherKind()
      ring = keepKnown(next, ring)
    },
  }
}

// Secrets have no public half.
const isSymmetric = ({ verificationKeys }: KeyRing): boolean =>
  verificationKeys.every(({ publicJwk }) => publicJwk === undefined)

const toRing = (
  active: SigningKey,
  { verificationKeys, serviceSecrets }: Pick<KeyRing, 'verificationKeys' | 'serviceSecrets'>,
): KeyRing => {
  const keys = new Map(verificationKeys.map((key) => [key.kid, key]))
  return { active, find: (kid) => keys.get(kid), verificationKeys, serviceSecrets }
}

// A key that stays under its algorithm keeps its object, which identifies the tokens that were checked with it.
const keepKnown = (next: KeyRing, present: KeyRing): KeyRing =>
  toRing(next.active, {
    verificationKeys: next.verificationKeys.map((key) => {
      const known = present.find(key.kid)
      return known?.algorithm === key.algorithm && known.key.equals(key.key) ? known : key
    }),
    serviceSecrets: next.serviceSecrets,
  })

const otherKind = (): TypeError =>
  new TypeError('jwt-auth: setKeys cannot change between secrets and key pairs; change the kind with a restart.')
