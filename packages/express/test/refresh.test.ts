import { describe, expect, it } from 'vitest'
import { breakableStorage } from './support/breakable-storage.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectAnswer,
  invalidRefreshToken,
  invalidToken,
  validToken,
  withoutDate,
} from './support/expected-answers.js'
import {
  json,
  logIn,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestValidation,
  type Tokens,
} from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import type { Answer } from './support/http-client.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, brianFields } from './support/test-users.js'

const day = 24 * 60 * 60

/** Every way a refresh token can be no good. */
const refusals: readonly {
  readonly name: string
  readonly present: (host: TestHost, tokens: Tokens) => Promise<Answer>
}[] = [
  { name: 'unknown', present: async (host) => requestRefresh(host, `jwtauth_rt_${'A'.repeat(64)}`) },
  { name: 'malformed', present: async (host) => requestRefresh(host, 'not a refresh token') },
  { name: 'longer than any', present: async (host) => requestRefresh(host, 'A'.repeat(4_096)) },
  { name: 'an access token', present: async (host, { token }) => requestRefresh(host, token) },
  { name: 'cut short', present: async (host, { refreshToken }) => requestRefresh(host, refreshToken.slice(0, -1)) },
  {
    name: 'in other case',
    present: async (host, { refreshToken }) => requestRefresh(host, refreshToken.toUpperCase()),
  },
  { name: 'followed by a space', present: async (host, { refreshToken }) => requestRefresh(host, `${refreshToken} `) },
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
    name: 'of a session the host revoked',
    present: async (host, { refreshToken }) => {
      await host.auth.sessions.revokeAll(7)
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
    name: 'of a disabled user',
    present: async (host, { refreshToken }) => {
      host.users.change('ada', { disabled: true })
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
  it.each(['/token/refresh', '/refresh'])('answers at %s with a new token and a new refresh token', async (path) => {
    const host = await startHost(express5Framework)
    const before = await logIn(host)
    const answer = await host.send('POST', `/jwt-auth/v1${path}`, json({ refresh_token: before.refreshToken }))
    const after = readTokens(answer)

    expectAnswer(answer, authenticated(after, adaFields))
    expect(after.token).not.toBe(before.token)
    expect(after.refreshToken).not.toBe(before.refreshToken)
  })

  it('reads the user fields afresh', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    host.users.change('ada', { email: 'countess@example.com', displayName: 'Countess of Lovelace' })
    const answer = await requestRefresh(host, refreshToken)

    expectAnswer(
      answer,
      authenticated(readTokens(answer), {
        ...adaFields,
        user_email: 'countess@example.com',
        user_display_name: 'Countess of Lovelace',
      }),
    )
  })

  it('keeps the JSON type of a user id that is text', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host, 'brian')
    const answer = await requestRefresh(host, refreshToken)

    expectAnswer(answer, authenticated(readTokens(answer), brianFields))
  })

  it('ignores members it does not know', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    const message = json({ refresh_token: refreshToken, grant_type: 'refresh_token' })
    const answer = await host.send('POST', '/jwt-auth/v1/token/refresh', message)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('needs no Authorization header and reads none', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    const message = json({ refresh_token: refreshToken }, { Authorization: 'Bearer not a token' })
    const answer = await host.send('POST', '/jwt-auth/v1/token/refresh', message)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('leaves the access token before it good until its own exp', async () => {
    const host = await startHost(express5Framework)
    const { token, refreshToken } = await logIn(host)
    await refresh(host, refreshToken)

    expectAnswer(await requestValidation(host, token), validToken)
  })

  it('works when the access token has expired', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    host.clock.advanceSeconds(3_600)
    const answer = await requestRefresh(host, refreshToken)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it.each(byName(refusals))('answers 403 to a refresh token that is %s', async (_, { present }) => {
    const host = await startHost(express5Framework)

    expectAnswer(await present(host, await logIn(host)), invalidRefreshToken)
  })

  it('answers every refresh token that is no good alike in every header and byte', async () => {
    const answers = await Promise.all(
      refusals.map(async ({ present }) => {
        const host = await startHost(express5Framework)
        return withoutDate(await present(host, await logIn(host)))
      }),
    )

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  })

  it('leads to the same refresh token again within the grace window', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    const first = await refresh(host, refreshToken)
    host.clock.advanceSeconds(29.999)
    const again = await requestRefresh(host, refreshToken)
    const repeated = readTokens(again)

    expectAnswer(again, authenticated({ ...repeated, refreshToken: first.refreshToken }, adaFields))
    expect(repeated.token).not.toBe(first.token)
    expectAnswer(await requestValidation(host, repeated.token), validToken)
  })

  it('leads from a token replaced twice within the grace window to the current one', async () => {
    const host = await startHost(express5Framework)
    const first = await logIn(host)
    const second = await refresh(host, first.refreshToken)
    const third = await refresh(host, second.refreshToken)

    expect((await refresh(host, first.refreshToken)).refreshToken).toBe(third.refreshToken)
  })

  it('gives racing requests with one refresh token the same successor', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    const answers = await Promise.all(Array.from({ length: 6 }, () => refresh(host, refreshToken)))

    expect(new Set(answers.map((tokens) => tokens.refreshToken)).size).toBe(1)
    expect(new Set(answers.map((tokens) => tokens.token)).size).toBe(6)
  })

  it('ends the session when a replaced refresh token comes back after the grace window', async () => {
    const host = await startHost(express5Framework)
    const before = await logIn(host)
    const after = await refresh(host, before.refreshToken)
    host.clock.advanceSeconds(30.001)

    expectAnswer(await requestRefresh(host, before.refreshToken), invalidRefreshToken)
    expectAnswer(await requestRefresh(host, after.refreshToken), invalidRefreshToken)
    expectAnswer(await requestValidation(host, after.token), invalidToken())
    expect(await host.auth.sessions.list(7)).toStrictEqual([])
  })

  it('ends the session at the first replay where the host set no grace window', async () => {
    const host = await startHost(express5Framework, { options: { refreshGraceSeconds: 0 } })
    const before = await logIn(host)
    const after = await refresh(host, before.refreshToken)

    expectAnswer(await requestRefresh(host, before.refreshToken), invalidRefreshToken)
    expectAnswer(await requestValidation(host, after.token), invalidToken())
  })

  it('leaves the other sessions of the user alone when one is replayed', async () => {
    const host = await startHost(express5Framework)
    const [replayed, other] = [await logIn(host), await logIn(host)]
    await refresh(host, replayed.refreshToken)
    host.clock.advanceSeconds(31)
    await requestRefresh(host, replayed.refreshToken)

    expectAnswer(await requestValidation(host, other.token), validToken)
  })

  it('keeps a session alive that is used before its idle end', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await logIn(host)
    host.clock.advanceSeconds(30 * day - 1)
    const next = await refresh(host, refreshToken)
    host.clock.advanceSeconds(30 * day - 1)
    const answer = await requestRefresh(host, next.refreshToken)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('gives no access token past the absolute end of the session, and nothing from then on', async () => {
    const host = await startHost(express5Framework)
    let { refreshToken } = await logIn(host)
    for (let month = 0; month < 3; month += 1) {
      host.clock.advanceSeconds(30 * day - 1)
      refreshToken = (await refresh(host, refreshToken)).refreshToken
    }
    host.clock.advanceSeconds(2)
    const last = await requestRefresh(host, refreshToken)

    expectAnswer(last, authenticated(readTokens(last), adaFields, 1))

    host.clock.advanceSeconds(1)
    expectAnswer(await requestRefresh(host, readTokens(last).refreshToken), invalidRefreshToken)
  })

  it.each(
    byName([
      { name: 'idle', options: { sessionIdleTimeoutSeconds: 10 } },
      { name: 'absolute', options: { sessionAbsoluteTimeoutSeconds: 10 } },
    ]),
  )('answers 403 from the %s end of the session on that the host chose', async (_, { options }) => {
    const host = await startHost(express5Framework, { options })
    const { refreshToken } = await logIn(host)
    host.clock.advanceSeconds(10)

    expectAnswer(await requestRefresh(host, refreshToken), invalidRefreshToken)
  })

  it('serves one session from several instances', async () => {
    const storage = breakableStorage()
    const [one, other] = [
      await startHost(express5Framework, { storage }),
      await startHost(express5Framework, { storage }),
    ]
    const first = await logIn(one)
    const second = await refresh(other, first.refreshToken)

    expect((await refresh(one, first.refreshToken)).refreshToken).toBe(second.refreshToken)
  })
})
