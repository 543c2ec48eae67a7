import { type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { authenticated, expectResponse, invalidRefreshToken, withoutDate } from './support/expected-responses.js'
import {
  logIn,
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  type Tokens,
} from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields } from './support/test-users.js'

const day = 24 * 60 * 60

/** The reasons for which a refresh token is invalid. */
const refusals: readonly {
  readonly name: string
  readonly present: (host: TestHost, tokens: Tokens) => Promise<HttpResponse>
}[] = [
  { name: 'unknown', present: async (host) => requestRefresh(host, `jwtauth_rt_${'A'.repeat(64)}`) },
  { name: 'malformed', present: async (host) => requestRefresh(host, 'not a refresh token') },
  { name: 'an access token', present: async (host, { token }) => requestRefresh(host, token) },
  {
    name: 'expired by idling',
    present: async (host, { refreshToken }) => {
      host.clock.advanceSeconds(30 * day)
      return requestRefresh(host, refreshToken)
    },
  },
  {
    name: 'revoked',
    present: async (host, { token, refreshToken }) => {
      await requestRevocation(host, token)
      return requestRefresh(host, refreshToken)
    },
  },
  {
    name: 'replayed',
    present: async (host, { refreshToken }) => {
      await refresh(host, refreshToken)
      host.clock.advanceSeconds(31)
      return requestRefresh(host, refreshToken)
    },
  },
  {
    name: 'of a user who is gone',
    present: async (host, { refreshToken }) => {
      host.users.remove('ada')
      return requestRefresh(host, refreshToken)
    },
  },
  {
    name: 'older than the password',
    present: async (host, { refreshToken }) => {
      host.users.change('ada', { passwordHash: null })
      return requestRefresh(host, refreshToken)
    },
  },
]

describe('POST /token/refresh', () => {
  it.each(['/token/refresh', '/refresh'])(
    'responds at %s with a new access token and a new refresh token',
    async (path) => {
      const host = await startHost(express5Framework)
      const before = await logIn(host)
      const response = await host.send('POST', `/jwt-auth/v1${path}`, json({ refresh_token: before.refreshToken }))
      const after = readTokens(response)

      expectResponse(response, authenticated(after, adaFields))
      expect(after.token).not.toBe(before.token)
      expect(after.refreshToken).not.toBe(before.refreshToken)
    },
  )

  it('reads no Authorization header', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    const message = json({ refresh_token: refreshToken }, { Authorization: 'Bearer not a token' })
    const response = await host.send('POST', '/jwt-auth/v1/token/refresh', message)

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('responds to every invalid refresh token with the same 403, in every header and byte', async () => {
    const responses = await Promise.all(
      refusals.map(async ({ name, present }) => {
        const host = await startHost(express5Framework)
        return { name, response: await present(host, await openSession(host)) }
      }),
    )
    const [first] = responses

    for (const { name, response } of responses) {
      expectResponse(response, invalidRefreshToken)
      expect({ name, ...withoutDate(response) }).toStrictEqual({ name, ...(first && withoutDate(first.response)) })
    }
  })
})
