import type { GuardContender } from '../contenders/guards.js'
import type { World } from '../world.js'

/**
 * Tests that a server checks what it claims to check: it must accept a valid token, and refuse a
 * changed token, a missing token and, when it checks sessions, a revoked token. Rejects when it
 * does not.
 */
export const checkServer = async (
  url: string,
  { title, checks }: Pick<GuardContender, 'title' | 'checks'>,
  { tokens: [valid = ''], revokedToken }: Pick<World, 'tokens' | 'revokedToken'>,
): Promise<void> => {
  const expect = async (what: string, token: string | undefined, status: number): Promise<void> => {
    const response = await fetch(url, { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })
    await response.arrayBuffer()
    if (response.status === status) return
    throw new Error(`${title} responds with ${response.status} instead of ${status} to ${what}.`)
  }

  await expect('a valid token', valid, 200)
  if (checks === 'nothing') return
  await expect('a changed token', change(valid), 401)
  await expect('no token', undefined, 401)
  if (checks === 'token and session') await expect('a revoked token', revokedToken, 401)
}

// Changes a character in the middle of the signature, where every bit counts.
const change = (token: string): string => {
  const place = token.length - 10
  return `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`
}
