import type { JsonWebKey } from 'node:crypto'
import type { Algorithm } from './algorithm.js'
import type { KeyState } from './key-entry.js'
import { wrongKey } from './wrong-key.js'

/**
 * Returns a JWK. Throws a `TypeError` when its `use`, `key_ops` or `alg` (RFC 7517, sections 4.2 to 4.4) exclude the use that it is given for.
 * All three are optional. Its `kid` is ignored.
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

// A private key that is marked for signing may be given where its public half is enough.
const allows = (operations: unknown, state: KeyState): boolean =>
  Array.isArray(operations) && (operations.includes('sign') || (state === 'verify' && operations.includes('verify')))

const misused = (name: string, why: string): TypeError =>
  wrongKey(name, `is a JWK for another use: ${why}`, 'give a key that was made for this one.')
