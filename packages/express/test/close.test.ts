import { setImmediate } from 'node:timers/promises'
import { bearer } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { authenticated, expectResponse, methodNotAllowed, noRoute, unavailable } from './support/expected-responses.js'
import { openSession, readTokens, requestRefresh, requestToken, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { createLatch, createLatchedUsers } from './support/latch.js'
import { hostResponse, startHost } from './support/test-host.js'
import { adaFields } from './support/test-users.js'

const closed = expect.objectContaining({ name: 'AuthError', code: 'jwt_auth_unavailable' })

describe('close', () => {
  it('makes every operation respond with 503 without calling users or storage', async () => {
    const host = await startHost(express5Framework)
    const { token, refreshToken } = await openSession(host)
    await host.auth.close()
    host.storage.calls.length = 0
    host.users.calls.length = 0

    expectResponse(await requestToken(host), unavailable)
    expectResponse(await requestRefresh(host, refreshToken), unavailable)
    expectResponse(await requestValidation(host, token), unavailable)
    expectResponse(await host.send('GET', '/jwt-auth/v1/me', bearer(token)), unavailable)
    expectResponse(await host.send('GET', '/reports', bearer(token)), unavailable)
    expect({ storage: host.storage.calls, users: host.users.calls }).toStrictEqual({ storage: [], users: [] })
  })

  it('makes revoke respond with 503, not 500: no write was tried', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    await host.auth.close()

    expectResponse(await host.send('POST', '/jwt-auth/v1/token/revoke', bearer(token)), unavailable)
  })

  it('makes verify and the sessions reject with jwt_auth_unavailable', async () => {
    const { auth } = await startHost(express5Framework)
    await auth.close()

    await expect(auth.verify('abc')).rejects.toStrictEqual(closed)
    await expect(auth.sessions.create(7)).rejects.toStrictEqual(closed)
    await expect(auth.sessions.list(7)).rejects.toStrictEqual(closed)
    await expect(auth.sessions.revoke({ userId: 7, sessionId: 'x' })).rejects.toStrictEqual(closed)
    await expect(auth.sessions.revokeAll(7)).rejects.toStrictEqual(closed)
    await expect(auth.sessions.purge()).rejects.toStrictEqual(closed)
  })

  it('does not change the routing', async () => {
    const { auth, send } = await startHost(express5Framework)
    await auth.close()

    expectResponse(await send('GET', '/jwt-auth/v1/token'), methodNotAllowed('POST'))
    expectResponse(await send('GET', '/jwt-auth/v1/nope'), noRoute)
    expect(await send('GET', '/')).toMatchObject({ status: 200, text: hostResponse })
  })

  it('waits for the operations in flight', async () => {
    const gate = createLatch()
    const users = createLatchedUsers(gate)
    const host = await startHost(express5Framework, { options: { users } })
    const login = requestToken(host)
    await gate.reached
    let isClosed = false
    const closing = host.auth.close().then(() => {
      isClosed = true
    })

    expectResponse(await requestToken(host), unavailable)
    await setImmediate()
    expect(isClosed).toBe(false)

    gate.open()
    await closing
    const response = await login
    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('may be called twice', async () => {
    const { auth } = await startHost(express5Framework)
    await auth.close()

    expect(await auth.close()).toBeUndefined()
  })
})
