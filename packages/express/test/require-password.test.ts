import { once } from 'node:events'
import { connect } from 'node:net'
import type { HashingPriority } from '@jwt-auth/core/internal'
import { bearer } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import type { JwtAuth, Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { expectResponse, loginFailed, rateLimited } from './support/expected-responses.js'
import { openSession } from './support/flows.js'
import { frameworks } from './support/frameworks.js'
import { createLatch } from './support/latch.js'
import { startHost, type TestHost } from './support/test-host.js'
import { createTestUsers, password, type TestUsers } from './support/test-users.js'

/** A guarded route that checks the password in a header. */
const confirmRoutes = (auth: JwtAuth) => [
  { path: '/confirm', run: auth.guard() },
  { path: '/confirm', run: confirm(auth) },
]

const confirm =
  (auth: JwtAuth): Middleware =>
  (req, res) => {
    auth.requirePassword(req, req.headers['x-password']).then(
      ({ id }) => res.end(String(id)),
      (thrown: unknown) => auth.sendError(res, thrown),
    )
  }

const withPassword = (token: string, given: string, from?: string) => ({
  headers: { ...bearer(token).headers, 'X-Password': given, ...(from && { 'X-Real-IP': from }) },
})

describe.each(byName(frameworks))('the password of a signed-in user on %s', (_, framework) => {
  it('is checked within the limits of the address that the request comes from', async () => {
    const takeAddress: Middleware = (req, _res, next) => {
      Object.defineProperty(req, 'ip', { value: req.headers['x-real-ip'] })
      next()
    }
    const host = await startHost(framework, { before: [takeAddress], routes: confirmRoutes })
    const { token } = await openSession(host)
    const send = (given: string, from: string) => host.send('GET', '/confirm', withPassword(token, given, from))

    expect(await send(password, '192.0.2.1')).toMatchObject({ status: 200, text: '7' })
    for (let count = 0; count < 10; count += 1) {
      expectResponse(await send('wrong', '192.0.2.2'), loginFailed)
    }
    expectResponse(await send(password, '192.0.2.2'), rateLimited(10_800))
    expect(await send(password, '192.0.2.1')).toMatchObject({ status: 200, text: '7' })
  })
})

/** Users, and the priorities of the passwords that were checked while `isOn`. */
const createWatchedUsers = () => {
  const users: TestUsers = createTestUsers()
  const checked = createLatch()
  const priorities: (HashingPriority | undefined)[] = []
  const watch = { isOn: false, priorities }
  const verifyPassword: TestUsers['verifyPassword'] = async (user, given, options) => {
    if (!watch.isOn) return users.verifyPassword(user, given, options)
    watch.priorities.push(options?.priority)
    await checked.pass()
    return false
  }
  return { users: { ...users, verifyPassword }, watch, checked }
}

const sendAlone = (host: TestHost, token: string) => {
  const socket = connect(host.port, '127.0.0.1').on('error', () => {})
  socket.write(`GET /confirm HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Password: wrong\r\n\r\n`)
  return socket
}

describe.each(byName(frameworks))('a client that disconnects from %s', (_, framework) => {
  it('before the route checks the password has no password checked', async () => {
    const { users, watch } = createWatchedUsers()
    const inRoute = createLatch()
    const settled = createLatch()
    let closed: Promise<unknown> = Promise.resolve()
    const host = await startHost(framework, {
      options: { users },
      routes: (auth) => [
        { path: '/confirm', run: auth.guard() },
        {
          path: '/confirm',
          run: async (req, res) => {
            closed = once(res, 'close')
            await inRoute.pass()
            void auth.requirePassword(req, 'wrong').then(settled.pass, settled.pass)
          },
        },
      ],
    })
    const { token } = await openSession(host)
    watch.isOn = true
    const socket = sendAlone(host, token)
    await inRoute.reached
    socket.resetAndDestroy()
    await closed
    inRoute.open()
    await settled.reached
    expect(watch.priorities).toEqual([])
  })

  it('while the password waits in the queue aborts the check', async () => {
    const { users, watch, checked } = createWatchedUsers()
    const host = await startHost(framework, { options: { users }, routes: confirmRoutes })
    const { token } = await openSession(host)
    watch.isOn = true
    const socket = sendAlone(host, token)
    await checked.reached
    const signal = watch.priorities[0]?.signal
    if (signal === undefined) throw new Error('The check has no signal.')
    expect(signal.aborted).toBe(false)
    const aborted = once(signal, 'abort')
    socket.resetAndDestroy()
    await aborted
    checked.open()
  })
})
