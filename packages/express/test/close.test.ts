import { bearer } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { expectResponse, methodNotAllowed, noRoute, unavailable } from './support/expected-responses.js'
import { openSession, requestRefresh, requestToken, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { hostResponse, startHost } from './support/test-host.js'

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

  it('does not change the routing', async () => {
    const { auth, send } = await startHost(express5Framework)
    await auth.close()

    expectResponse(await send('GET', '/jwt-auth/v1/token'), methodNotAllowed('POST'))
    expectResponse(await send('GET', '/jwt-auth/v1/nope'), noRoute)
    expect(await send('GET', '/')).toMatchObject({ status: 200, text: hostResponse })
  })
})
