import type { KeyRing } from './key-ring.js'
import type { PublicJwk } from './public-jwk.js'

/** Public keys as others fetch them (RFC 7517, section 5). */
export interface JsonWebKeySet {
  readonly keys: readonly PublicJwk[]
}

/**
 * The public half of every key of a ring, the active one first. Throws a `TypeError` for a ring of secrets: a secret is never
 * published, and an empty set would only hide the mistake.
 */
export const toJsonWebKeySet = ({ verificationKeys }: KeyRing): JsonWebKeySet => {
  const keys = verificationKeys.flatMap(({ publicJwk }) => publicJwk ?? [])
  if (keys.length > 0) return { keys }
  throw new TypeError(
    'jwt-auth: jwks publishes public keys, and secrets have none; give option `keys` with RS256, PS256, ES256 (or a longer hash) or EdDSA.',
  )
}
