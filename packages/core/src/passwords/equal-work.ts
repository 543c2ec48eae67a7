import bcrypt from 'bcrypt'
import { readPasswordHash } from './password-hash.js'

// Any 22 characters of salt and 31 of digest; bcrypt does its full work before it finds that nothing matches.
const dummyTail = 'jwtauthdummyhashnobodyCanMatchThisOneAtAllEverAndEver'

/**
 * Checks a password with the work of one bcrypt of the given cost, whatever is stored: nothing (an unknown user, a user
 * without a password), something unreadable, or a hash of lower cost. Otherwise time would tell which names exist. A
 * stored hash of higher cost takes its own, longer time.
 */
export const verifyWithEqualWork = async (
  password: string,
  storedHash: string | null | undefined,
  cost: number,
): Promise<boolean> => {
  const hash = storedHash ? readPasswordHash(storedHash) : undefined
  if (hash === undefined) {
    await bcrypt.compare(password, dummyHash(cost))
    return false
  }
  const isMatch = await bcrypt.compare(hash.prepare(password), hash.bcryptHash)
  await topUp(password, { from: hash.cost, to: cost })
  return isMatch
}

// 2^from, plus 2^from + 2^(from + 1) + … + 2^(to - 1), is 2^to.
const topUp = async (password: string, { from, to }: { readonly from: number; readonly to: number }): Promise<void> => {
  for (let cost = from; cost < to; cost += 1) await bcrypt.compare(password, dummyHash(cost))
}

const dummyHash = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${dummyTail}`
