import type { RingKey } from '../keys/ring-key.js'
import { isWellKnownKey } from '../keys/well-known-keys.js'
import { wrongKey } from '../keys/wrong-key.js'

/** A key and its position in the options. */
export interface NamedKey extends RingKey {
  readonly name: string
}

/** Throws a `TypeError` for keys that must not be in one ring, or in any ring. */
export const checkRingKeys = (keys: readonly NamedKey[]): void => {
  refuseMixed(keys)
  refuseRepeated(keys)
  refuseWellKnown(keys)
}

const isSecret = ({ verification }: NamedKey): boolean => verification.publicJwk === undefined

// docs/decisions/0021.
const refuseMixed = (keys: readonly NamedKey[]): void => {
  const secret = keys.find(isSecret)
  const pair = keys.find((key) => !isSecret(key))
  if (secret === undefined || pair === undefined) return
  throw wrongKey(
    pair.name,
    `is of a key pair, and \`${secret.name}\` is a secret`,
    'use one kind; when the kind changes, access tokens become invalid, and clients continue with their refresh tokens.',
  )
}

// Compares ids, which come from the key alone, so that one key under two algorithms is found too (RFC 8725, section 3.1).
const refuseRepeated = (keys: readonly NamedKey[]): void => {
  const names = new Map<string, string>()
  for (const { name, verification } of keys) {
    const former = names.get(verification.kid)
    if (former !== undefined) throw wrongKey(name, `repeats \`${former}\``, 'list each key once, under one algorithm.')
    names.set(verification.kid, name)
  }
}

const refuseWellKnown = (keys: readonly NamedKey[]): void => {
  const known = keys.find(({ verification }) => isWellKnownKey(verification.kid))
  if (known === undefined) return
  throw wrongKey(
    known.name,
    'is an example from a standard or a website, which anybody can sign with',
    'make one of your own.',
  )
}
