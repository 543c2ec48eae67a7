import type { KeyRing } from './key-ring.js'
import type { PublicJwk } from './public-jwk.js'

/** Public keys as other services fetch them (RFC 7517, section 5). */
export interface JsonWebKeySet {
  readonly keys: readonly PublicJwk[]
}

/** Returns the public half of every key of a ring, the active key first. Throws a `TypeError` for a ring of secrets. */
export const toJsonWebKeySet = ({ verificationKeys }: KeyRing): JsonWebKeySet => {
  const keys = verificationKeys.flatMap(({ publicJwk }) => publicJwk ?? [])
  if (keys.length > 0) return { keys }
  throw new TypeError(
    'jwt-auth: jwks publishes public keys, and secrets have none; give option `keys` with RS256, PS256, ES256 (or a longer hash) or EdDSA.',
  )
}
