import type { JsonWebKey } from 'node:crypto'
import type { Algorithm } from './algorithm.js'
import type { KeyState } from './key-entry.js'
import { wrongKey } from './wrong-key.js'

/**
 * Holds a JWK to what it says of itself (RFC 7517, sections 4.2 to 4.4): `use`, `key_ops` and `alg` may be left out, but must
 * not contradict what the key is given for. Its `kid` is not used: ours comes from the key.
 */
export const checkJwk = (
  name: string,
  jwk: JsonWebKey,
  { algorithm, state }: { readonly algorithm: Algorithm; readonly state: KeyState },
): JsonWebKey => {
  const { use, key_ops: operations, alg } = jwk
  if (use !== undefined && use !== 'sig') throw misused(name, 'its `use` is not "sig"')
  if (alg !== undefined && alg !== algorithm) throw misused(name, `its \`alg\` is not ${algorithm}`)
  if (operations !== undefined && !allows(operations, state)) {
    throw misused(name, `its \`key_ops\` do not name "${state === 'active' ? 'sign' : 'verify'}"`)
  }
  return jwk
}

// The private half, which its maker marked for signing, may stand in for its public half.
const allows = (operations: unknown, state: KeyState): boolean =>
  Array.isArray(operations) && (operations.includes('sign') || (state === 'verify' && operations.includes('verify')))

const misused = (name: string, why: string): TypeError =>
  wrongKey(name, `is a JWK for another use: ${why}`, 'give a key that was made for this one.')
