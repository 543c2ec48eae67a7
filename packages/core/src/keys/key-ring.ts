import type { SigningKey } from './signing-key.js'

/** The keys of a service: one signs, all verify. */
export interface KeyRing {
  readonly active: SigningKey
  /** The key with this id; `undefined` when the ring holds none. */
  readonly find: (kid: string) => SigningKey | undefined
}

/** Makes a ring of keys; the first one signs. Throws a `TypeError` when two of them are the same. */
export const createKeyRing = ([active, ...others]: readonly [SigningKey, ...SigningKey[]]): KeyRing => {
  const keys = new Map<string, SigningKey>([[active.kid, active]])
  for (const key of others) {
    if (keys.has(key.kid)) throw new TypeError('jwt-auth: option `secret` holds the same secret twice.')
    keys.set(key.kid, key)
  }
  return { active, find: (kid) => keys.get(kid) }
}
