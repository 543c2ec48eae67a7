import { parseJson, readMember } from '@jwt-auth/test-support/read-json'
import { startOfTime } from '@jwt-auth/test-support/test-clock'
import { decodeToken, testSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import type { JwtAuthOptions } from '../src/index.js'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse, validToken } from './support/expected-responses.js'
import { logIn, readTokens, refresh, requestToken, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { issuer, startHost } from './support/test-host.js'
import { adaFields } from './support/test-users.js'

const startSecond = startOfTime / 1000
const randomId = expect.stringMatching(/^[\w-]{22}$/)

/** The claims of a token for ada, issued at the start of time. */
const claimsOfAda = {
  iss: issuer,
  sub: '7',
  iat: startSecond,
  nbf: startSecond,
  exp: startSecond + 3600,
  auth_time: startSecond,
  jti: randomId,
  sid: randomId,
  data: { user: { id: 7 } },
}

describe('the access token', () => {
  it('has exactly the header members alg, typ and kid', async () => {
    const { token } = await logIn(await startHost(express5Framework))

    expect(decodeToken(token).header).toStrictEqual({ alg: 'HS256', typ: 'at+jwt', kid: expect.any(String) })
  })

  it('has exactly the claims of docs/http-api.md', async () => {
    const { token } = await logIn(await startHost(express5Framework))

    expect(decodeToken(token).claims).toStrictEqual(claimsOfAda)
  })

  it('has the text id of a user as sub and as data.user.id', async () => {
    const { token } = await logIn(await startHost(express5Framework), 'brian')

    expect(decodeToken(token).claims).toStrictEqual({ ...claimsOfAda, sub: 'user-8', data: { user: { id: 'user-8' } } })
  })

  it('takes its issuer from the option, not from the Host header', async () => {
    const { send } = await startHost(express5Framework)
    const response = await send('POST', '/jwt-auth/v1/token', {
      headers: { Host: 'attacker.example', 'X-Forwarded-Host': 'attacker.example', 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password: 'correct horse battery staple' }),
    })

    expect(decodeToken(readTokens(response).token).claims).toStrictEqual(claimsOfAda)
  })

  it.each(
    byName([
      { name: 'idle', options: { sessionIdleTimeoutSeconds: 100 } },
      { name: 'absolute', options: { sessionAbsoluteTimeoutSeconds: 100 } },
    ]),
  )('expires no later than its session, which has an %s timeout, and expires_in says so', async (_, { options }) => {
    const response = await requestToken(await startHost(express5Framework, { options }))
    const tokens = readTokens(response)

    expectResponse(response, authenticated(tokens, adaFields, 100))
    expect(decodeToken(tokens.token).claims).toStrictEqual({ ...claimsOfAda, exp: startSecond + 100 })
  })

  it('has the claims that the application adds, of the user as they are now', async () => {
    const claims: JwtAuthOptions['claims'] = async ({ email, displayName }) => ({
      email,
      roles: ['editor'],
      displayName,
    })
    const host = await startHost(express5Framework, { options: { claims } })
    const { token, refreshToken } = await logIn(host)
    host.users.change('ada', { email: 'countess@example.com' })
    const later = await refresh(host, refreshToken)
    const added = { roles: ['editor'], displayName: 'Ada Lovelace' }

    expect(decodeToken(token).claims).toStrictEqual({ ...claimsOfAda, ...added, email: 'ada@example.com' })
    expect(decodeToken(later.token).claims).toStrictEqual({ ...claimsOfAda, ...added, email: 'countess@example.com' })
    expectResponse(await requestValidation(host, token), validToken)
  })

  it('never contains the secret, the refresh token or a password hash', async () => {
    const response = await requestToken(await startHost(express5Framework))
    const { token, refreshToken } = readTokens(response)
    const held = JSON.stringify(decodeToken(token))

    expect(held).not.toContain(refreshToken)
    expect(held + response.text).not.toContain(testSecret)
    expect(held + response.text).not.toContain('$2b$')
    expect(readMember(parseJson(response.text), 'passwordHash')).toBeUndefined()
  })
})
