import type { KeyRing } from '../keys/key-ring.js'
import { isSignedBy } from './check-signature.js'
import { readJwsParts } from './compact-jws.js'
import { signCompactJws } from './sign-compact-jws.js'

// `iat` prevents jsonwebtoken from reading a clock to add it.
const probe = { iat: 1 }

/**
 * Signs a probe with the active key and checks the signature: node:crypto imports a private key next to the public key of another key pair without
 * an error. A key outside of this process is not tried, since each of its signatures is checked. Returns the ring.
 *
 * @throws TypeError when the signature is not valid.
 */
export const proveKeyRing = (ring: KeyRing): KeyRing => {
  const { active } = ring
  if ('signer' in active) return ring
  const jws = readJwsParts(signCompactJws(probe, active))
  const key = ring.find(active.kid)
  if (jws !== undefined && key !== undefined && isSignedBy(jws, active.algorithm, key)) return ring
  throw new TypeError(
    'jwt-auth: the active key signs what does not verify: its public part is of another key; give a key pair that belongs together.',
  )
}
