import { createServer } from 'node:http'
import { listen } from '@jwt-auth/test-support'
import { describe, expect, it, onTestFinished } from 'vitest'
import { checkServer } from '../src/load/check-server.js'

const [valid, revoked] = [`valid${'x'.repeat(20)}`, `revoked${'x'.repeat(20)}`]

/** Starts a server that accepts tokens by a rule. */
const startServer = async (fits: (token: string | undefined) => boolean): Promise<string> => {
  const server = createServer((req, res) => {
    res.writeHead(fits(req.headers.authorization?.replace('Bearer ', '')) ? 200 : 401).end()
  })
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${await listen(server)}`
}

const check = async (checks: 'nothing' | 'token' | 'token and session', url: string): Promise<void> =>
  checkServer(url, { title: 'it', checks }, { tokens: [valid], revokedToken: revoked })

describe('a contender', () => {
  it.each([
    ['nothing', () => true],
    ['token', (token?: string) => token === valid || token === revoked],
    ['token and session', (token?: string) => token === valid],
  ] as const)('passes when it checks what it claims: %s', async (checks, fits) => {
    await expect(check(checks, await startServer(fits))).resolves.toBeUndefined()
  })

  it.each([
    ['nothing', 'refuses every token', () => false, 'it responds with 401 instead of 200 to a valid token.'],
    ['token', 'accepts every token', (token?: string) => token !== undefined, 'to a changed token.'],
    [
      'token',
      'accepts requests without a token',
      (token?: string) => token === valid || token === undefined,
      'to no token.',
    ],
    [
      'token and session',
      'checks no session',
      (token?: string) => token === valid || token === revoked,
      'to a revoked',
    ],
  ] as const)('that claims to check %s but %s fails', async (checks, _what, fits, message) => {
    await expect(check(checks, await startServer(fits))).rejects.toThrow(message)
  })
})
