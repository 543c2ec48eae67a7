import { bearer } from '@jwt-auth/test-support/http-client'
import { describe, it } from 'vitest'
import { byName } from './support/by-name.js'
import { expectResponse, validToken } from './support/expected-responses.js'
import { logIn, openSession, refresh, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'
import { unreadBodies } from './support/unread-bodies.js'

// What validate refuses is what the guard refuses: access-token-check.test.ts.
describe('POST /token/validate', () => {
  it.each(['/token/validate', '/validate'])('responds at %s that the token is valid', async (path) => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectResponse(await host.send('POST', `/jwt-auth/v1${path}`, bearer(token)), validToken)
  })

  it('responds the same way each time', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectResponse(await requestValidation(host, token), validToken)
    expectResponse(await requestValidation(host, token), validToken)
  })

  it('accepts the access tokens before and after a refresh', async () => {
    const host = await startHost(express5Framework)
    const before = await logIn(host)
    const after = await refresh(host, before.refreshToken)

    expectResponse(await requestValidation(host, before.token), validToken)
    expectResponse(await requestValidation(host, after.token), validToken)
  })

  it.each(byName(unreadBodies))('reads no body: %s', async (_, { headers, ...message }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const response = await host.send('POST', '/jwt-auth/v1/token/validate', {
      ...message,
      headers: { ...headers, ...bearer(token).headers },
    })

    expectResponse(response, validToken)
  })
})
