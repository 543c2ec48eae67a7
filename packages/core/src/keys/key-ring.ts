import type { ActiveRingKey, RingKey, SigningKey, VerificationKey } from './ring-key.js'

/** The keys of a service: one signs, all verify. */
export interface KeyRing {
  readonly active: SigningKey
  /** The key with this id; `undefined` when the ring holds none. */
  readonly find: (kid: string) => VerificationKey | undefined
  /** All of them, the active one first. */
  readonly verificationKeys: readonly VerificationKey[]
  /**
   * Secrets that only instances with the same keys have: one for each key, the active key's first. A key of which only the public
   * half was given has none.
   */
  readonly serviceSecrets: readonly [Buffer, ...Buffer[]]
}

/** A ring that can be exchanged while it is in use. */
export interface ReplaceableKeyRing extends KeyRing {
  /** Lets another ring take over, at once and whole. Throws a `TypeError`, and changes nothing, for one of the other kind. */
  readonly replace: (next: KeyRing) => void
}

/** Makes a ring of keys that all differ. */
export const createKeyRing = (active: ActiveRingKey, others: readonly RingKey[] = []): KeyRing => {
  const keys = [active, ...others]
  return toRing(active.signing, {
    verificationKeys: keys.map(({ verification }) => verification),
    serviceSecrets: [active.serviceSecret, ...others.flatMap(({ serviceSecret }) => serviceSecret ?? [])],
  })
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
