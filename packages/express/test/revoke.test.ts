import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { breakableStorage } from './support/breakable-storage.js'
import { byName } from './support/by-name.js'
import {
  alreadyRevoked,
  badSignature,
  expectAnswer,
  expiredToken,
  invalidRefreshToken,
  invalidToken,
  revokeFailed,
  tokenNotFound,
  tokenRevoked,
  validToken,
} from './support/expected-answers.js'
import {
  bearer,
  logIn,
  openSession,
  refresh,
  requestRefresh,
  requestRevocation,
  requestValidation,
} from './support/flows.js'
import { forgeToken, otherSecret } from './support/forge-token.js'
import { express5Framework } from './support/frameworks.js'
import { issuer, startHost, type TestHost } from './support/test-host.js'
import { unreadBodies } from './support/unread-bodies.js'

const revokedAtStart = tokenRevoked('2030-01-02 03:04:05')

/** Ways a session ends other than by revoke; the access token is not expired by it. */
const otherEnds: readonly {
  readonly name: string
  readonly end: (host: TestHost, refreshToken: string) => Promise<unknown>
}[] = [
  {
    name: 'a replay',
    end: async (host, refreshToken) => {
      await refresh(host, refreshToken)
      host.clock.advanceSeconds(31)
      await requestRefresh(host, refreshToken)
    },
  },
  { name: 'sessions.revokeAll', end: ({ auth }) => auth.sessions.revokeAll(7) },
  {
    name: 'sessions.revoke',
    end: async ({ auth }) => {
      const [session] = await auth.sessions.list(7)
      await auth.sessions.revoke({ userId: 7, sessionId: session?.id ?? '' })
    },
  },
  {
    name: 'a refresh after the user was disabled',
    end: async (host, refreshToken) => {
      host.users.change('ada', { disabled: true })
      await requestRefresh(host, refreshToken)
    },
  },
]

describe('POST /token/revoke', () => {
  it('answers when the token was revoked, in UTC', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectAnswer(await requestRevocation(host, token), revokedAtStart)
  })

  it('ends the session: its refresh token and each of its access tokens are refused at once', async () => {
    const host = await startHost(express5Framework)
    const first = await logIn(host)
    const second = await refresh(host, first.refreshToken)
    await requestRevocation(host, first.token)

    expectAnswer(await requestValidation(host, first.token), invalidToken())
    expectAnswer(await requestValidation(host, second.token), invalidToken())
    expectAnswer(await requestRefresh(host, first.refreshToken), invalidRefreshToken)
    expectAnswer(await requestRefresh(host, second.refreshToken), invalidRefreshToken)
  })

  it("leaves the user's other sessions and the other users alone", async () => {
    const host = await startHost(express5Framework)
    const [revoked, same, other] = [await logIn(host), await logIn(host), await logIn(host, 'brian')]
    await requestRevocation(host, revoked.token)

    expectAnswer(await requestValidation(host, same.token), validToken)
    expectAnswer(await requestValidation(host, other.token), validToken)
    expect(await requestRefresh(host, same.refreshToken)).toMatchObject({ status: 200 })
  })

  it('answers 403 the second time', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)
    await requestRevocation(host, token)
    host.clock.advanceSeconds(60)

    expectAnswer(await requestRevocation(host, token), alreadyRevoked)
    expectAnswer(await requestRevocation(host, token), alreadyRevoked)
  })

  it('answers 403 for another token of the same session', async () => {
    const host = await startHost(express5Framework)
    const first = await logIn(host)
    const second = await refresh(host, first.refreshToken)
    await requestRevocation(host, first.token)

    expectAnswer(await requestRevocation(host, second.token), alreadyRevoked)
  })

  it('answers one of several racing requests 200 and the others 403', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const answers = await Promise.all(Array.from({ length: 5 }, () => requestRevocation(host, token)))

    expect(answers.map(({ status }) => status).sort()).toStrictEqual([200, 403, 403, 403, 403])
  })

  it.each(byName(otherEnds))('answers 403 when the session was ended by %s', async (_, { end }) => {
    const host = await startHost(express5Framework)
    const { token, refreshToken } = await openSession(host)
    await end(host, refreshToken)

    expectAnswer(await requestRevocation(host, token), alreadyRevoked)
  })

  it.each(
    byName([
      { name: 'idle', options: { sessionIdleTimeoutSeconds: 10 } },
      { name: 'absolute', options: { sessionAbsoluteTimeoutSeconds: 10 } },
    ]),
  )('answers 403 past the %s end of the session, within the clock tolerance', async (_, { options }) => {
    const host = await startHost(express5Framework, { options: { ...options, clockToleranceSeconds: 60 } })
    const { token } = await openSession(host)
    host.clock.advanceSeconds(10)

    expectAnswer(await requestRevocation(host, token), alreadyRevoked)
  })

  it('answers 404 to a genuine token whose session is not known', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const unknown = forgeToken(token, { claims: { sid: randomBytes(16).toString('base64url') } })

    expectAnswer(await requestRevocation(host, unknown), tokenNotFound)
    expectAnswer(await requestValidation(host, token), validToken)
  })

  it('answers 404 to a genuine token of an instance with another storage', async () => {
    const [one, other] = [await startHost(express5Framework), await startHost(express5Framework)]
    const { token } = await openSession(one)

    expectAnswer(await requestRevocation(other, token), tokenNotFound)
  })

  it.each(
    byName([
      { name: 'malformed', forge: () => 'abc', expected: invalidToken() },
      {
        name: 'signed with another secret',
        forge: (token: string) => forgeToken(token, { secret: otherSecret }),
        expected: badSignature,
      },
      {
        name: 'of another issuer',
        forge: (token: string) => forgeToken(token, { claims: { iss: `${issuer}/other` } }),
        expected: invalidToken(),
      },
    ]),
  )('answers 401 to a token that is %s, and asks storage nothing', async (_, { forge, expected }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.calls.length = 0

    expectAnswer(await requestRevocation(host, forge(token)), expected)
    expect(host.storage.calls).toStrictEqual([])
    expectAnswer(await requestValidation(host, token), validToken)
  })

  it('answers 401 to an expired token, revoked before or not', async () => {
    const host = await startHost(express5Framework)
    const [revoked, live] = [await openSession(host), await openSession(host)]
    await requestRevocation(host, revoked.token)
    host.clock.advanceSeconds(3600)

    expectAnswer(await requestRevocation(host, revoked.token), expiredToken)
    expectAnswer(await requestRevocation(host, live.token), expiredToken)
    expect(await requestRefresh(host, live.refreshToken)).toMatchObject({ status: 200 })
  })

  it('revokes the token of a user who is gone or disabled', async () => {
    const host = await startHost(express5Framework)
    const [ada, brian] = [await logIn(host), await logIn(host, 'brian')]
    host.users.remove('ada')
    host.users.change('brian', { disabled: true })

    expectAnswer(await requestRevocation(host, ada.token), revokedAtStart)
    expectAnswer(await requestRevocation(host, brian.token), revokedAtStart)
  })

  it('answers 500 when storage fails, and the token still works once storage is back', async () => {
    const host = await startHost(express5Framework)
    const { token, refreshToken } = await openSession(host)
    host.storage.breakDown('end')

    expectAnswer(await requestRevocation(host, token), revokeFailed)

    host.storage.comeBack()
    expectAnswer(await requestValidation(host, token), validToken)
    expect(await requestRefresh(host, refreshToken)).toMatchObject({ status: 200 })
    expectAnswer(await requestRevocation(host, token), revokedAtStart)
  })

  it('answers 500 when all of storage is down', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.breakDown('end', 'findByIds', 'findBySelectorHash', 'rotate', 'endAllForUser', 'listActive')

    expectAnswer(await requestRevocation(host, token), revokeFailed)
  })

  it('answers 500 when the write is done but its answer is lost, and 403 when it is tried again', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.loseAnswers('end')

    expectAnswer(await requestRevocation(host, token), revokeFailed)

    host.storage.comeBack()
    expectAnswer(await requestRevocation(host, token), alreadyRevoked)
    expectAnswer(await requestValidation(host, token), invalidToken())
  })

  it('holds on every instance at once', async () => {
    const storage = breakableStorage()
    const [one, other] = [
      await startHost(express5Framework, { storage }),
      await startHost(express5Framework, { storage }),
    ]
    const { token, refreshToken } = await openSession(one)
    await requestRevocation(one, token)

    expectAnswer(await requestValidation(other, token), invalidToken())
    expectAnswer(await requestRefresh(other, refreshToken), invalidRefreshToken)
    expectAnswer(await requestRevocation(other, token), alreadyRevoked)
  })

  it.each(byName(unreadBodies))('reads no body: %s', async (_, { headers, ...message }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const answer = await host.send('POST', '/jwt-auth/v1/token/revoke', {
      ...message,
      headers: { ...headers, ...bearer(token).headers },
    })

    expectAnswer(answer, revokedAtStart)
  })
})
