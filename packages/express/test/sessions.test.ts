import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import type { AuthEvent, JwtAuth } from '../src/index.js'
import { byName } from './support/by-name.js'
import { startOfTime } from './support/clock.js'
import {
  alreadyRevoked,
  authenticated,
  expectAnswer,
  invalidRefreshToken,
  invalidToken,
  tokenNotFound,
  validToken,
} from './support/expected-answers.js'
import {
  json,
  logIn,
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestToken,
  requestValidation,
} from './support/flows.js'
import { decodeToken } from './support/forge-token.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { createClient } from './support/http-client.js'
import { listen, startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const day = 24 * 60 * 60
const thirtyDaysOn = new Date(startOfTime + 30 * day * 1000)

const failed = expect.objectContaining({ name: 'AuthError', code: 'jwt_auth_failed' })
const unavailable = expect.objectContaining({ name: 'AuthError', code: 'jwt_auth_unavailable' })

const unknownId = 'A'.repeat(22)

/** The session a token belongs to. */
const sessionOf = (token: string): string => String(decodeToken(token).claims['sid'])

describe('sessions', () => {
  describe('create', () => {
    it('opens a session whose tokens the routes take', async () => {
      const host = await startHost(express5Framework)
      const result = await host.auth.sessions.create(7)

      expect(result).toStrictEqual({
        accessToken: expect.any(String),
        expiresInSeconds: 3600,
        refreshToken: expect.any(String),
        sessionId: sessionOf(result.accessToken),
        user: expect.objectContaining({ id: 7, email: 'ada@example.com' }),
      })
      expectAnswer(await requestValidation(host, result.accessToken), validToken)
      const answer = await requestRefresh(host, result.refreshToken)
      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    })

    it('gives what sendTokens sends as the response of a login, its headers included', async () => {
      const host = await startHost(express5Framework, {
        routes: (auth) => [
          { path: '/sign-up', run: async (_req, res) => auth.sendTokens(res, await auth.sessions.create(7)) },
        ],
      })
      const answer = await host.send('GET', '/sign-up')

      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    })

    it('keeps what the host says of the device', async () => {
      const { auth } = await startHost(express5Framework)
      await auth.sessions.create(7, { userAgent: 'Kiosk/1', ipAddress: '192.0.2.7', label: 'the hall' })

      expect(await auth.sessions.list(7)).toMatchObject([
        { userAgent: 'Kiosk/1', ipAddress: '192.0.2.7', label: 'the hall' },
      ])
    })

    it.each([
      ['unknown', 99],
      ['disabled', 9],
      ['of another JSON type', '7'],
    ])('rejects with jwt_auth_failed for a user who is %s', async (_, userId) => {
      const { auth } = await startHost(express5Framework)

      await expect(auth.sessions.create(userId)).rejects.toStrictEqual(failed)
    })
  })

  describe('list', () => {
    it('shows the live sessions of a user, newest first, and no secret', async () => {
      const { auth, clock } = await startHost(express5Framework)
      const first = await auth.sessions.create(7)
      clock.advanceSeconds(10)
      const second = await auth.sessions.create(7, { label: 'phone' })
      await auth.sessions.create('user-8')
      const bare = { userAgent: null, ipAddress: null, lastUserAgent: null, lastIpAddress: null, label: null }
      const [at, later] = [new Date(startOfTime), new Date(startOfTime + 10_000)]

      expect(await auth.sessions.list(7)).toStrictEqual([
        {
          ...bare,
          id: second.sessionId,
          createdAt: later,
          lastUsedAt: later,
          expiresAt: new Date(thirtyDaysOn.getTime() + 10_000),
          label: 'phone',
        },
        { ...bare, id: first.sessionId, createdAt: at, lastUsedAt: at, expiresAt: thirtyDaysOn },
      ])
    })

    it('moves lastUsedAt and expiresAt with a refresh, and with nothing else', async () => {
      const host = await startHost(express5Framework)
      const { token, refreshToken } = await openSession(host)
      host.clock.advanceSeconds(60)
      await requestValidation(host, token)
      expect(await host.auth.sessions.list(7)).toMatchObject([{ lastUsedAt: new Date(startOfTime) }])

      await refresh(host, refreshToken)
      expect(await host.auth.sessions.list(7)).toMatchObject([
        {
          createdAt: new Date(startOfTime),
          lastUsedAt: new Date(startOfTime + 60_000),
          expiresAt: new Date(thirtyDaysOn.getTime() + 60_000),
        },
      ])
    })

    it.each(byName(frameworks))('shows the user agent the last refresh came from on %s', async (_, framework) => {
      const host = await startHost(framework)
      const { refreshToken } = await openSession(host)
      await host.send(
        'POST',
        '/jwt-auth/v1/token/refresh',
        json({ refresh_token: refreshToken }, { 'User-Agent': 'Phone/2' }),
      )

      const last = { lastUserAgent: 'Phone/2', lastIpAddress: expect.stringContaining('127.0.0.1') }
      expect(await host.auth.sessions.list(7)).toMatchObject([{ userAgent: null, ...last }])
    })

    it.each(byName(frameworks))(
      'shows the user agent and the address a login came from on %s',
      async (_, framework) => {
        const { send, auth } = await startHost(framework)
        const message = json({ username: 'ada', password }, { 'User-Agent': 'Kiosk/1', 'X-Forwarded-For': '192.0.2.7' })
        await send('POST', '/jwt-auth/v1/token', message)

        expect(await auth.sessions.list(7)).toMatchObject([
          { userAgent: 'Kiosk/1', ipAddress: expect.stringContaining('127.0.0.1'), label: null },
        ])
      },
    )

    it.each(byName(frameworks.filter(({ name }) => !name.startsWith('Express'))))(
      'shows the address of the peer on %s where middleware of the host left a req.ip that is no text',
      async (_, framework) => {
        const { send, auth } = await startHost(framework, {
          before: [
            (req, _res, next) => {
              Reflect.set(req, 'ip', undefined)
              next()
            },
          ],
        })
        await send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }))

        expect(await auth.sessions.list(7)).toMatchObject([{ ipAddress: expect.stringContaining('127.0.0.1') }])
      },
    )

    it('shows what the option device makes of a login', async () => {
      const host = await startHost(express5Framework, {
        options: { device: (req) => ({ label: `${req.method} ${req.headers['x-device']}` }) },
      })
      await host.send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, { 'X-Device': 'phone' }))

      expect(await host.auth.sessions.list(7)).toMatchObject([
        { userAgent: null, ipAddress: null, label: 'POST phone' },
      ])
    })

    it('leaves out what has ended, idled away or belongs to a user of another JSON type', async () => {
      const host = await startHost(express5Framework)
      const [ended, idle] = [await openSession(host), await openSession(host)]
      await requestRevocation(host, ended.token)
      expect((await host.auth.sessions.list(7)).map(({ id }) => id)).toStrictEqual([sessionOf(idle.token)])
      expect(await host.auth.sessions.list('7')).toStrictEqual([])

      host.clock.advanceSeconds(30 * day)
      expect(await host.auth.sessions.list(7)).toStrictEqual([])
    })
  })

  describe('revoke', () => {
    it('ends one session of a user at once and leaves the others', async () => {
      const host = await startHost(express5Framework)
      const [one, other] = [await openSession(host), await openSession(host)]
      const session = { userId: 7, sessionId: sessionOf(one.token) }

      expect(await host.auth.sessions.revoke(session)).toBe('ended')
      expectAnswer(await requestValidation(host, one.token), invalidToken())
      expectAnswer(await requestRefresh(host, one.refreshToken), invalidRefreshToken)
      expectAnswer(await requestValidation(host, other.token), validToken)
      expect(await host.auth.sessions.revoke(session)).toBe('already-ended')
    })

    it('finds no session that is unknown or of another user', async () => {
      const host = await startHost(express5Framework)
      const { token } = await openSession(host)
      const sessionId = sessionOf(token)

      expect(await host.auth.sessions.revoke({ userId: 7, sessionId: 'unknown' })).toBe('not-found')
      expect(await host.auth.sessions.revoke({ userId: 7, sessionId: unknownId })).toBe('not-found')
      expect(await host.auth.sessions.revoke({ userId: 'user-8', sessionId })).toBe('not-found')
      expect(await host.auth.sessions.revoke({ userId: '7', sessionId })).toBe('not-found')
      expectAnswer(await requestValidation(host, token), validToken)
    })
  })

  describe('revokeAll', () => {
    it('ends every session of a user at once and answers how many', async () => {
      const host = await startHost(express5Framework)
      const [one, other, brian] = [await openSession(host), await openSession(host), await logIn(host, 'brian')]

      expect(await host.auth.sessions.revokeAll(7)).toBe(2)
      expectAnswer(await requestValidation(host, one.token), invalidToken())
      expectAnswer(await requestRefresh(host, other.refreshToken), invalidRefreshToken)
      expectAnswer(await requestRevocation(host, other.token), alreadyRevoked)
      expectAnswer(await requestValidation(host, brian.token), validToken)
      expect(await host.auth.sessions.revokeAll(7)).toBe(0)
    })

    it('ends nothing of a user of another JSON type', async () => {
      const host = await startHost(express5Framework)
      const { token } = await openSession(host)

      expect(await host.auth.sessions.revokeAll('7')).toBe(0)
      expectAnswer(await requestValidation(host, token), validToken)
    })

    it.each(['', 'x'.repeat(65)])('rejects with a TypeError for the reason "%s"', async (reason) => {
      const host = await startHost(express5Framework)
      const { token } = await openSession(host)

      await expect(host.auth.sessions.revokeAll(7, { reason })).rejects.toThrowError(TypeError)
      expectAnswer(await requestValidation(host, token), validToken)
    })
  })

  describe('purge', () => {
    it('keeps a session until a day after its last token has died, and then forgets it', async () => {
      const host = await startHost(express5Framework)
      const { token } = await openSession(host)
      await openSession(host)
      await requestRevocation(host, token)

      host.clock.advanceSeconds(3600 + day - 1)
      expect(await host.auth.sessions.purge()).toBe(0)

      host.clock.advanceSeconds(1)
      expect(await host.auth.sessions.purge()).toBe(1)
      expect(await host.auth.sessions.purge()).toBe(0)
      expect(await host.auth.sessions.list(7)).toHaveLength(1)
    })

    it('forgets sessions that idled away', async () => {
      const host = await startHost(express5Framework)
      const { refreshToken } = await openSession(host)
      host.clock.advanceSeconds(31 * day + 3600)

      expect(await host.auth.sessions.purge()).toBe(1)
      expectAnswer(await requestRefresh(host, refreshToken), invalidRefreshToken)
    })
  })

  it('that storage has lost are answered 404 by revoke and 401 by validate', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    await host.storage.end(sessionOf(token), { endedAt: 0, endReason: 'lost' })
    await host.storage.deleteExpired(0, 1)

    expectAnswer(await requestRevocation(host, token), tokenNotFound)
    expectAnswer(await requestValidation(host, token), invalidToken())
  })

  it.each(
    byName([
      { name: 'create', call: ({ auth }: TestHost) => auth.sessions.create(7) },
      { name: 'list', call: ({ auth }: TestHost) => auth.sessions.list(7) },
      { name: 'revoke', call: ({ auth }: TestHost) => auth.sessions.revoke({ userId: 7, sessionId: unknownId }) },
      { name: 'revokeAll', call: ({ auth }: TestHost) => auth.sessions.revokeAll(7) },
      { name: 'purge', call: ({ auth }: TestHost) => auth.sessions.purge() },
    ]),
  )('%s rejects with jwt_auth_unavailable when storage cannot answer', async (_, { call }) => {
    const host = await startHost(express5Framework)
    host.storage.breakDown('create', 'listActive', 'findByIds', 'endAllForUser', 'deleteExpired')

    await expect(call(host)).rejects.toStrictEqual(unavailable)
  })

  it('are told to the host as they open and end', async () => {
    const events: AuthEvent[] = []
    const host = await startHost(express5Framework, { options: { onEvent: (event) => events.push(event) } })
    const at = new Date(startOfTime)
    const revoked = await logIn(host)
    await requestRevocation(host, revoked.token)
    await requestToken(host, 'ada', 'wrong')
    const replayed = await openSession(host)
    await refresh(host, replayed.refreshToken)
    host.clock.advanceSeconds(31)
    await requestRefresh(host, replayed.refreshToken)
    const last = await openSession(host)
    await host.auth.sessions.revokeAll(7, { reason: 'password_changed' })
    const later = new Date(startOfTime + 31_000)

    expect(events).toStrictEqual([
      { type: 'session_created', userId: 7, sessionId: sessionOf(revoked.token), at },
      { type: 'session_ended', userId: 7, sessionId: sessionOf(revoked.token), at, reason: 'revoked' },
      { type: 'login_failed', userId: 7, network: '127.0.0.1', at },
      { type: 'session_created', userId: 7, sessionId: sessionOf(replayed.token), at },
      {
        type: 'session_ended',
        userId: 7,
        sessionId: sessionOf(replayed.token),
        at: later,
        reason: 'refresh_token_replayed',
      },
      {
        type: 'refresh_token_replayed',
        userId: 7,
        sessionId: sessionOf(replayed.token),
        at: later,
        presentedFrom: { userAgent: null, ipAddress: expect.stringContaining('127.0.0.1') },
        lastRefreshedFrom: { userAgent: null, ipAddress: expect.stringContaining('127.0.0.1') },
      },
      { type: 'session_created', userId: 7, sessionId: sessionOf(last.token), at: later },
      { type: 'sessions_ended', userId: 7, count: 1, at: later, reason: 'password_changed' },
    ])
  })
})

const trustingHosts = [
  { name: 'Express 5', createApp: (auth: JwtAuth) => express5().set('trust proxy', 'loopback').use(auth) },
  { name: 'Express 4', createApp: (auth: JwtAuth) => express4().set('trust proxy', 'loopback').use(auth) },
]

describe.each(byName(trustingHosts))('the address of a session on %s', (_, { createApp }) => {
  it('is the one that the trusted proxy forwards', async () => {
    const { auth } = await startHost(express5Framework)
    const send = createClient(await listen(createApp(auth)))
    await send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, { 'X-Forwarded-For': '192.0.2.7' }))

    expect(await auth.sessions.list(7)).toMatchObject([{ ipAddress: '192.0.2.7' }])
  })
})
