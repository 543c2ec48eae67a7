import { json } from '@jwt-auth/test-support/http-client'
import { startOfTime } from '@jwt-auth/test-support/test-clock'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import type { AuthEvent, JwtAuth } from '../src/index.js'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse, validToken } from './support/expected-responses.js'
import {
  logIn,
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestToken,
  requestValidation,
  sessionOf,
} from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { createClient, listen, startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const unavailable = expect.objectContaining({ name: 'AuthError', code: 'jwt_auth_unavailable' })

const unknownId = 'A'.repeat(22)

/** The session a token belongs to. */
describe('sessions', () => {
  describe('create', () => {
    it('opens a session whose tokens the routes accept', async () => {
      const host = await startHost(express5Framework)
      const result = await host.auth.sessions.create(7)

      expect(result).toStrictEqual({
        accessToken: expect.any(String),
        expiresInSeconds: 3600,
        refreshToken: expect.any(String),
        sessionExpiresInSeconds: expect.any(Number),
        sessionId: sessionOf(result.accessToken),
        user: expect.objectContaining({ id: 7, email: 'ada@example.com' }),
      })
      expectResponse(await requestValidation(host, result.accessToken), validToken)
      const response = await requestRefresh(host, result.refreshToken)
      expectResponse(response, authenticated(readTokens(response), adaFields))
    })

    it('creates what sendTokens sends as the response to a login, headers included', async () => {
      const host = await startHost(express5Framework, {
        routes: (auth) => [
          { path: '/sign-up', run: async (_req, res) => auth.sendTokens(res, await auth.sessions.create(7)) },
        ],
      })
      const response = await host.send('GET', '/sign-up')

      expectResponse(response, authenticated(readTokens(response), adaFields))
    })

    it('stores the device that the application passes', async () => {
      const { auth } = await startHost(express5Framework)
      await auth.sessions.create(7, { userAgent: 'Kiosk/1', ipAddress: '192.0.2.7', label: 'the hall' })

      expect(await auth.sessions.list(7)).toMatchObject([
        { userAgent: 'Kiosk/1', ipAddress: '192.0.2.7', label: 'the hall' },
      ])
    })
  })

  describe('list', () => {
    it.each(byName(frameworks))('contains the user agent of the last refresh on %s', async (_, framework) => {
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

    it.each(byName(frameworks))('contains the user agent and the address of a login on %s', async (_, framework) => {
      const { send, auth } = await startHost(framework)
      const message = json({ username: 'ada', password }, { 'User-Agent': 'Kiosk/1', 'X-Forwarded-For': '192.0.2.7' })
      await send('POST', '/jwt-auth/v1/token', message)

      expect(await auth.sessions.list(7)).toMatchObject([
        { userAgent: 'Kiosk/1', ipAddress: expect.stringContaining('127.0.0.1'), label: null },
      ])
    })

    it.each(byName(frameworks.filter(({ name }) => !name.startsWith('Express'))))(
      'contains the address of the peer on %s when req.ip is not text',
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

    it('contains what the option device returns for a login', async () => {
      const host = await startHost(express5Framework, {
        options: { device: (req) => ({ label: `${req.method} ${req.headers['x-device']}` }) },
      })
      await host.send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, { 'X-Device': 'phone' }))

      expect(await host.auth.sessions.list(7)).toMatchObject([
        { userAgent: null, ipAddress: null, label: 'POST phone' },
      ])
    })
  })

  it.each(
    byName([
      { name: 'create', call: ({ auth }: TestHost) => auth.sessions.create(7) },
      { name: 'list', call: ({ auth }: TestHost) => auth.sessions.list(7) },
      { name: 'revoke', call: ({ auth }: TestHost) => auth.sessions.revoke({ userId: 7, sessionId: unknownId }) },
      { name: 'revokeAll', call: ({ auth }: TestHost) => auth.sessions.revokeAll(7) },
      { name: 'purge', call: ({ auth }: TestHost) => auth.sessions.purge() },
    ]),
  )('reject with jwt_auth_unavailable when storage fails: %s', async (_, { call }) => {
    const host = await startHost(express5Framework)
    host.storage.fail(storageFailure, 'create', 'list', 'findByIds', 'endAllForUser', 'deleteExpired')

    await expect(call(host)).rejects.toStrictEqual(unavailable)
  })

  it('emit events when they are opened and ended', async () => {
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

    const ipAddress = expect.stringContaining('127.0.0.1')
    const place = { userAgent: null, ipAddress }
    const first = { userId: 7, sessionId: sessionOf(revoked.token), ipAddress, at }
    const second = { userId: 7, sessionId: sessionOf(replayed.token), ipAddress, at }
    const third = { userId: 7, sessionId: sessionOf(last.token), ipAddress, at: later }
    const sighting = {
      userId: 7,
      sessionId: second.sessionId,
      at: later,
      presentedFrom: place,
      lastRefreshedFrom: place,
    }
    const code = 'jwt_auth_invalid_refresh_token'
    expect(events).toStrictEqual([
      { type: 'session_created', ...first },
      { type: 'login_succeeded', ...first },
      { type: 'session_ended', ...first, reason: 'revoked' },
      { type: 'login_failed', reason: 'wrong_password', userId: 7, network: '127.0.0.1', ipAddress, at },
      { type: 'session_created', ...second, ipAddress: null },
      { type: 'session_refreshed', ...second },
      { type: 'session_ended', ...second, at: later, reason: 'refresh_token_replayed' },
      { type: 'refresh_token_replayed', ...sighting },
      { type: 'request_rejected', code, detail: undefined, ...second, at: later },
      { type: 'session_created', ...third, ipAddress: null },
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
