import { randomBytes } from 'node:crypto'
import { forgeToken, otherSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import {
  alreadyRevoked,
  badSignature,
  expectResponse,
  expiredToken,
  invalidRefreshToken,
  invalidToken,
  tokenNotFound,
  tokenRevoked,
  validToken,
} from './support/expected-responses.js'
import { logIn, openSession, refresh, requestRefresh, requestRevocation, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'

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

  it('responds with 401 to an invalid token without asking storage', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.calls.length = 0

    expectResponse(await requestRevocation(host, 'abc'), invalidToken())
    expectResponse(await requestRevocation(host, forgeToken(token, { secret: otherSecret })), badSignature)
    expect(host.storage.calls).toStrictEqual([])
  })
})
