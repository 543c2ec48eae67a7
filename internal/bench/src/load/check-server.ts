import type { ListeningServer } from '../processes/server.js'

/**
 * Tries whether a server does what it says: a good token is let in, a changed, a missing and, where it looks at sessions, a
 * revoked one are not. Throws when it does something else.
 */
export const checkServer = async ({ url, title, checks, tokens, revokedToken }: ListeningServer): Promise<void> => {
  const [good = ''] = tokens
  const expect = async (what: string, token: string | undefined, status: number): Promise<void> => {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const response = await fetch(url, { headers })
    await response.arrayBuffer()
    if (response.status === status) return
    throw new Error(`${title} answers ${response.status} instead of ${status} to ${what}.`)
  }

  await expect('a good token', good, 200)
  if (checks === 'nothing') return
  await expect('a changed token', change(good), 401)
  await expect('no token', undefined, 401)
  if (checks === 'token and session') await expect('a revoked token', revokedToken, 401)
}

// In the middle of the last part, where every character counts.
const change = (token: string): string => {
  const place = token.length - 10
  return `${token.slice(0, place)}${token[place] === 'A' ? 'B' : 'A'}${token.slice(place + 1)}`
}
