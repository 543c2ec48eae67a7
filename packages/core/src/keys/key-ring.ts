import type { ActiveRingKey, RingKey, SigningKey, VerificationKey } from './ring-key.js'
import { wrongKey } from './wrong-key.js'

/** The keys of a service: one signs, all verify. */
export interface KeyRing {
  readonly active: SigningKey
  /** The key with this id; `undefined` when the ring holds none. */
  readonly find: (kid: string) => VerificationKey | undefined
  /** All of them, the active one first. */
  readonly verificationKeys: readonly VerificationKey[]
  /** Secrets that only instances of this service have. The first derives new values, the others check former ones. */
  readonly serviceSecrets: ServiceSecrets
}

/** At least one secret. */
export type ServiceSecrets = readonly [Buffer, ...Buffer[]]

/** A ring that can be exchanged while it is in use. */
export interface ReplaceableKeyRing extends KeyRing {
  /** Lets another ring take over, at once and whole. Throws a `TypeError`, and changes nothing, for one of the other kind. */
  readonly replace: (next: KeyRing) => void
}

/**
 * Creates a ring of keys that all differ.
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
  throw wrongKey(
    'serviceSecret',
    'is required when the active key has a `signer`',
    `make one with: node -e "console.log(require('crypto').randomBytes(48).toString('base64url'))"`,
  )
}

/** Makes a ring that can be exchanged. */
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

// Secrets have nothing to publish.
const isSymmetric = ({ verificationKeys }: KeyRing): boolean =>
  verificationKeys.every(({ publicJwk }) => publicJwk === undefined)

const toRing = (
  active: SigningKey,
  { verificationKeys, serviceSecrets }: Pick<KeyRing, 'verificationKeys' | 'serviceSecrets'>,
): KeyRing => {
  const keys = new Map(verificationKeys.map((key) => [key.kid, key]))
  return { active, find: (kid) => keys.get(kid), verificationKeys, serviceSecrets }
}

// A key that stays keeps its object, by which the verifier knows what it has proven already.
const keepKnown = (next: KeyRing, present: KeyRing): KeyRing =>
  toRing(next.active, {
    verificationKeys: next.verificationKeys.map((key) => {
      const known = present.find(key.kid)
      return known?.algorithm === key.algorithm && known.key.equals(key.key) ? known : key
    }),
    serviceSecrets: next.serviceSecrets,
  })

const otherKind = (): TypeError =>
  new TypeError(
    'jwt-auth: reload exchanges keys for keys of their kind, secrets for secrets or key pairs for key pairs; change the kind with a restart.',
  )
