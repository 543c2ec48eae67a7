import { randomBytes } from 'node:crypto'
import { forgeToken } from '@jwt-auth/test-support/token-forger'
import { describe, it } from 'vitest'
import {
  alreadyRevoked,
  expectResponse,
  tokenNotFound,
  tokenRevoked,
  validToken,
} from './support/expected-responses.js'
import { logIn, openSession, requestRevocation, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'

const revokedAtStart = tokenRevoked('2030-01-02 03:04:05')

describe('POST /token/revoke', () => {
  it('responds with the time of the revocation, in UTC', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectResponse(await requestRevocation(host, token), revokedAtStart)
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
})
