import { json } from '@jwt-auth/test-support/http-client'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import type { AuthEvent, JwtAuth } from '../src/index.js'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse } from './support/expected-responses.js'
import { logIn, openSession, readTokens, refresh, requestRevocation, requestToken } from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { createClient, listen, startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

describe('sessions', () => {
  describe('create', () => {
    it('creates what sendTokens sends as the response to a login, headers included', async () => {
      const host = await startHost(express5Framework, {
        routes: (auth) => [
          { path: '/sign-up', run: async (_req, res) => auth.sendTokens(res, await auth.sessions.create(7)) },
        ],
      })
      const response = await host.send('GET', '/sign-up')

      expectResponse(response, authenticated(readTokens(response), adaFields))
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
})

describe('an operation on sessions', () => {
  it('rejects with the headers of a response when storage fails', async () => {
    const { auth, storage } = await startHost(express5Framework)
    storage.fail(storageFailure, 'list')

    await expect(auth.sessions.list(7)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  })
})

describe('the events of sessions', () => {
  it('have the address of the client', async () => {
    const events: AuthEvent[] = []
    const host = await startHost(express5Framework, { options: { onEvent: (event) => events.push(event) } })
    const { token, refreshToken } = await logIn(host)
    await refresh(host, refreshToken)
    await requestRevocation(host, token)
    await requestToken(host, 'ada', 'wrong')

    const ipAddress = expect.stringContaining('127.0.0.1')
    expect(events).toMatchObject([
      { type: 'session_created', ipAddress },
      { type: 'login_succeeded', ipAddress },
      { type: 'session_refreshed', ipAddress },
      { type: 'session_ended', ipAddress },
      { type: 'login_failed', ipAddress },
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
