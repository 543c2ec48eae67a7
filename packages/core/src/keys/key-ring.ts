import { createHmac } from 'node:crypto'
import { usageError } from '../option-checks.js'
import type { ActiveKey, PublicJwk, RingKey } from './key.js'

/** The keys of a service: the active key signs, all keys verify. */
export interface KeyRing {
  /** The key that signs. */
  readonly active: ActiveKey
  /** All keys by their ids, the active key first. */
  readonly keys: ReadonlyMap<string, RingKey>
}

/**
 * Secrets that only instances of this service have, derived from the option `secret`. The first
 * derives new values, the others check earlier ones.
 */
export type ServiceSecrets = readonly [Buffer, ...Buffer[]]

/** The advice to generate a strong secret. */
export const generateSecret = `generate one with: node -e "console.log(require('crypto').randomBytes(48).toString('base64url'))"`

/** Creates a ring. The first key is the active one. */
export const createKeyRing = (keys: readonly [ActiveKey, ...RingKey[]]): KeyRing => ({
  active: keys[0],
  keys: new Map(keys.map((key) => [key.kid, key])),
})

/** Creates a ring that can be replaced while it is in use. */
export const createReplaceableKeyRing = (first: KeyRing) => {
  const ring = {
    ...first,
    /**
     * Replaces all keys in one assignment.
     *
     * @throws TypeError, and changes nothing, when one ring has secrets and the other has key pairs
     */
    replace: (next: KeyRing): void => {
      if ((next.active.publicJwk === undefined) !== (ring.active.publicJwk === undefined)) {
        throw usageError('keys', 'setKeys cannot switch between secrets and key pairs; this requires a restart.')
      }
      Object.assign(ring, next)
    },
  }
  return ring
}

/** Public keys in the form that other services fetch (RFC 7517, section 5). */
export interface JsonWebKeySet {
  /** The public keys, the active key first. */
  readonly keys: readonly PublicJwk[]
}

/**
 * Returns the public half of every key of a ring, the active key first.
 *
 * @throws TypeError for a ring of secrets
 */
export const toJsonWebKeySet = (ring: KeyRing): JsonWebKeySet => {
  const keys = [...ring.keys.values()].flatMap(({ publicJwk }) => publicJwk ?? [])
  if (keys.length > 0) return { keys }
  throw usageError(
    'keys',
    'jwks publishes public keys, which secrets do not have; set option `keys` to keys for RS256, PS256, ES256 (or a longer hash) or EdDSA.',
  )
}

/**
 * Derives the secret under which attempts are counted (docs/design/rate-limits.md). User 1 of one
 * directory is not user 1 of another.
 */
export const deriveLimitSecret = (serviceSecret: Buffer, directory: string): Buffer =>
  createHmac('sha256', serviceSecret).update(`jwt-auth rate limits\0${directory}`).digest()
