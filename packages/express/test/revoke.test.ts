import { randomBytes } from 'node:crypto'
import { bearer } from '@jwt-auth/test-support/http-client'
import { forgeToken, otherSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import {
  alreadyRevoked,
  badSignature,
  expectResponse,
  expiredToken,
  invalidRefreshToken,
  invalidToken,
  revokeFailed,
  tokenNotFound,
  tokenRevoked,
  validToken,
} from './support/expected-responses.js'
import { logIn, openSession, refresh, requestRefresh, requestRevocation, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { startHost } from './support/test-host.js'
import { unreadBodies } from './support/unread-bodies.js'

const revokedAtStart = tokenRevoked('2030-01-02 03:04:05')

describe('POST /token/revoke', () => {
  it('responds with the time of the revocation, in UTC', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectResponse(await requestRevocation(host, token), revokedAtStart)
  })

  it('ends the session: its refresh token and its access tokens are refused immediately', async () => {
    const host = await startHost(express5Framework)
    const first = await logIn(host)
    const second = await refresh(host, first.refreshToken)
    await requestRevocation(host, first.token)

    expectResponse(await requestValidation(host, first.token), invalidToken())
    expectResponse(await requestValidation(host, second.token), invalidToken())
    expectResponse(await requestRefresh(host, first.refreshToken), invalidRefreshToken)
    expectResponse(await requestRefresh(host, second.refreshToken), invalidRefreshToken)
  })

  it('responds with 403 when the token is already revoked', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)
    await requestRevocation(host, token)
    host.clock.advanceSeconds(60)

    expectResponse(await requestRevocation(host, token), alreadyRevoked)
    expectResponse(await requestRevocation(host, token), alreadyRevoked)
  })

  it('responds to one of several racing requests with 200 and to the others with 403', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const responses = await Promise.all(Array.from({ length: 5 }, () => requestRevocation(host, token)))

    expect(responses.map(({ status }) => status).sort()).toStrictEqual([200, 403, 403, 403, 403])
  })

  it('responds with 404 to a valid token of an unknown session', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const unknown = forgeToken(token, { claims: { sid: randomBytes(16).toString('base64url') } })

    expectResponse(await requestRevocation(host, unknown), tokenNotFound)
    expectResponse(await requestValidation(host, token), validToken)
  })

  it('responds with 401 to an expired token, whether its session was revoked or not', async () => {
    const host = await startHost(express5Framework)
    const [revoked, active] = [await openSession(host), await openSession(host)]
    await requestRevocation(host, revoked.token)
    host.clock.advanceSeconds(3600)

    expectResponse(await requestRevocation(host, revoked.token), expiredToken)
    expectResponse(await requestRevocation(host, active.token), expiredToken)
    expect(await requestRefresh(host, active.refreshToken)).toMatchObject({ status: 200 })
  })

  it('revokes the token of a user who no longer exists or is disabled', async () => {
    const host = await startHost(express5Framework)
    const [ada, brian] = [await logIn(host), await logIn(host, 'brian')]
    host.users.remove('ada')
    host.users.change('brian', { disabled: true })

    expectResponse(await requestRevocation(host, ada.token), revokedAtStart)
    expectResponse(await requestRevocation(host, brian.token), revokedAtStart)
  })

  it('responds with 500 when storage fails, and the token still works when storage has recovered', async () => {
    const host = await startHost(express5Framework)
    const { token, refreshToken } = await openSession(host)
    host.storage.fail(storageFailure, 'end')

    expectResponse(await requestRevocation(host, token), revokeFailed)

    host.storage.open()
    expectResponse(await requestValidation(host, token), validToken)
    expect(await requestRefresh(host, refreshToken)).toMatchObject({ status: 200 })
    expectResponse(await requestRevocation(host, token), revokedAtStart)
  })

  it('responds with 401 to an invalid token without asking storage', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.calls.length = 0

    expectResponse(await requestRevocation(host, 'abc'), invalidToken())
    expectResponse(await requestRevocation(host, forgeToken(token, { secret: otherSecret })), badSignature)
    expect(host.storage.calls).toStrictEqual([])
  })

  it.each(byName(unreadBodies))('reads no body: %s', async (_, { headers, ...message }) => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    const response = await host.send('POST', '/jwt-auth/v1/token/revoke', {
      ...message,
      headers: { ...headers, ...bearer(token).headers },
    })

    expectResponse(response, revokedAtStart)
  })
})
