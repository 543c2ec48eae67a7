import { describe, expect, it } from 'vitest'
import { checkServer } from '../src/load/check-server.js'
import { serve } from './support/serve.js'

const [good, revoked] = [`good${'x'.repeat(20)}`, `revoked${'x'.repeat(20)}`]

/** A server that lets in those whose token fits. */
const letIn = (fits: (token: string | undefined) => boolean): Promise<string> =>
  serve((req, res) => {
    res.writeHead(fits(req.headers.authorization?.replace('Bearer ', '')) ? 200 : 401).end()
  })

const check = async (checks: 'nothing' | 'token' | 'token and session', url: string): Promise<void> =>
  checkServer({ url, checks, title: 'it', tokens: [good], revokedToken: revoked })

describe('a contender that is tried', () => {
  it.each([
    ['nothing', () => true],
    ['token', (token?: string) => token === good || token === revoked],
    ['token and session', (token?: string) => token === good],
  ] as const)('passes when it checks what it says: %s', async (checks, fits) => {
    await expect(check(checks, await letIn(fits))).resolves.toBeUndefined()
  })

  it.each([
    ['nothing', 'lets nobody in', () => false, 'it answers 401 instead of 200 to a good token.'],
    ['token', 'lets everybody with a token in', (token?: string) => token !== undefined, 'to a changed token.'],
    ['token', 'lets in whoever has none', (token?: string) => token === good || token === undefined, 'to no token.'],
    ['token and session', 'knows no session', (token?: string) => token === good || token === revoked, 'to a revoked'],
  ] as const)('that says “%s” and %s fails', async (checks, _what, fits, message) => {
    await expect(check(checks, await letIn(fits))).rejects.toThrow(message)
  })
})
