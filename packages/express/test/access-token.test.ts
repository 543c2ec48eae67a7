import { describe, expect, it } from 'vitest'
import type { JwtAuthOptions } from '../src/index.js'
import { breakableStorage } from './support/breakable-storage.js'
import { byName } from './support/by-name.js'
import { createClock, startOfTime } from './support/clock.js'
import {
  authenticated,
  expectAnswer,
  expiredToken,
  internalError,
  invalidToken,
  validToken,
} from './support/expected-answers.js'
import { logIn, readTokens, refresh, requestRefresh, requestToken, requestValidation } from './support/flows.js'
import { decodeToken, otherSecret, testSecret } from './support/forge-token.js'
import { express5Framework } from './support/frameworks.js'
import { parseJson, readMember } from './support/read-json.js'
import { issuer, startHost } from './support/test-host.js'
import { adaFields } from './support/test-users.js'

const startSecond = startOfTime / 1000
const randomId = expect.stringMatching(/^[\w-]{22}$/)
const secret64 = testSecret + otherSecret

/** The claims of a token for ada that was issued when time began. */
const claimsOfAda = {
  iss: issuer,
  sub: '7',
  iat: startSecond,
  nbf: startSecond,
  exp: startSecond + 3600,
  jti: randomId,
  sid: randomId,
  data: { user: { id: 7 } },
}

describe('the access token', () => {
  it('has exactly the header {alg, typ, kid} and signs with HS256', async () => {
    const { token } = await logIn(await startHost(express5Framework))

    expect(decodeToken(token).header).toStrictEqual({ alg: 'HS256', typ: 'at+jwt', kid: expect.any(String) })
  })

  it.each(['HS384', 'HS512'] as const)('names the algorithm %s where the host chose it', async (algorithm) => {
    const { token } = await logIn(await startHost(express5Framework, { options: { algorithm, secret: secret64 } }))

    expect(decodeToken(token).header).toMatchObject({ alg: algorithm })
  })

  it('has exactly the claims of the contract', async () => {
    const { token } = await logIn(await startHost(express5Framework))

    expect(decodeToken(token).claims).toStrictEqual(claimsOfAda)
  })

  it('carries aud where the host names an audience', async () => {
    const { token } = await logIn(await startHost(express5Framework, { options: { audience: 'reports' } }))

    expect(decodeToken(token).claims).toStrictEqual({ ...claimsOfAda, aud: 'reports' })
  })

  it('carries sub as text and data.user.id as the text it is', async () => {
    const { token } = await logIn(await startHost(express5Framework), 'brian')

    expect(decodeToken(token).claims).toStrictEqual({ ...claimsOfAda, sub: 'user-8', data: { user: { id: 'user-8' } } })
  })

  it('takes its issuer from the option whatever the Host header says', async () => {
    const { send } = await startHost(express5Framework)
    const answer = await send('POST', '/jwt-auth/v1/token', {
      headers: { Host: 'attacker.example', 'X-Forwarded-Host': 'attacker.example', 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password: 'correct horse battery staple' }),
    })

    expect(decodeToken(readTokens(answer).token).claims).toStrictEqual(claimsOfAda)
  })

  it('has a jti of its own and keeps the sid of its session through a refresh', async () => {
    const host = await startHost(express5Framework)
    const first = await logIn(host)
    const second = await refresh(host, first.refreshToken)
    const [before, after] = [decodeToken(first.token).claims, decodeToken(second.token).claims]

    expect(after['sid']).toBe(before['sid'])
    expect(after['jti']).not.toBe(before['jti'])
  })

  it('is good until the instant before exp and expired at exp', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    host.clock.advanceSeconds(3_599.999)
    expectAnswer(await requestValidation(host, token), validToken)

    host.clock.advanceSeconds(0.001)
    expectAnswer(await requestValidation(host, token), expiredToken)
  })

  it('is good for the clock tolerance after exp and no longer', async () => {
    const host = await startHost(express5Framework, { options: { clockToleranceSeconds: 60 } })
    const { token } = await logIn(host)

    host.clock.advanceSeconds(3_659.999)
    expectAnswer(await requestValidation(host, token), validToken)

    host.clock.advanceSeconds(0.001)
    expectAnswer(await requestValidation(host, token), expiredToken)
  })

  it.each([
    ['let in', 60, validToken],
    ['refused', 61, invalidToken()],
  ])('is %s when another instance issued it %i s ahead of this clock', async (_, ahead, expected) => {
    const storage = breakableStorage()
    const issuing = await startHost(express5Framework, { storage, clock: createClock(startOfTime + ahead * 1000) })
    const checking = await startHost(express5Framework, { storage })
    const { token } = await logIn(issuing)

    expectAnswer(await requestValidation(checking, token), expected)
  })

  it.each(
    byName([
      { name: 'idle', options: { sessionIdleTimeoutSeconds: 100 } },
      { name: 'absolute', options: { sessionAbsoluteTimeoutSeconds: 100 } },
    ]),
  )('ends with its session at the %s end, and expires_in says so', async (_, { options }) => {
    const answer = await requestToken(await startHost(express5Framework, { options }))
    const tokens = readTokens(answer)

    expectAnswer(answer, authenticated(tokens, adaFields, 100))
    expect(decodeToken(tokens.token).claims).toStrictEqual({ ...claimsOfAda, exp: startSecond + 100 })
  })

  it('says in expires_in what is left of the session within an odd second', async () => {
    const clock = createClock(startOfTime + 250)
    const answer = await requestToken(
      await startHost(express5Framework, { clock, options: { sessionAbsoluteTimeoutSeconds: 100 } }),
    )

    expectAnswer(answer, authenticated(readTokens(answer), adaFields, 100))
  })

  it('carries the claims the host adds, of the user as they are now', async () => {
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
    expectAnswer(await requestValidation(host, token), validToken)
  })

  it.each(['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti', 'sid', 'data'])(
    'is not issued when the host adds the reserved claim %s, and the host hears why',
    async (name) => {
      const host = await startHost(express5Framework, { options: { claims: () => ({ [name]: 'mine' }) } })

      expectAnswer(await requestToken(host), internalError)
      expect(host.reports.map(({ cause }) => readMember(cause, 'message'))).toStrictEqual([
        expect.stringContaining(`\`${name}\``),
      ])
      expect(await host.auth.sessions.list(7)).toStrictEqual([])
    },
  )

  it('is not issued when the claims option fails, and the refresh token is not consumed', async () => {
    const failure = new Error('the roles service is down')
    let isDown = false
    const claims = () => {
      if (isDown) throw failure
      return {}
    }
    const host = await startHost(express5Framework, { options: { claims, refreshGraceSeconds: 0 } })
    const { refreshToken } = await logIn(host)

    isDown = true
    expectAnswer(await requestRefresh(host, refreshToken), internalError)
    expect(host.reports.map(({ cause }) => cause)).toStrictEqual([failure])

    isDown = false
    const answer = await requestRefresh(host, refreshToken)
    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('of an older secret is good while the service still lists that secret', async () => {
    const storage = breakableStorage()
    const before = await startHost(express5Framework, { storage, options: { secret: otherSecret } })
    const after = await startHost(express5Framework, { storage, options: { secret: [testSecret, otherSecret] } })
    const { token } = await logIn(before)

    expectAnswer(await requestValidation(after, token), validToken)
    expect(decodeToken((await logIn(after)).token).header['kid']).not.toBe(decodeToken(token).header['kid'])
  })

  it('never holds the secret, the refresh token or a password hash', async () => {
    const answer = await requestToken(await startHost(express5Framework))
    const { token, refreshToken } = readTokens(answer)
    const held = JSON.stringify(decodeToken(token))

    expect(held).not.toContain(refreshToken)
    expect(held + answer.text).not.toContain(testSecret)
    expect(held + answer.text).not.toContain('$2b$')
    expect(readMember(parseJson(answer.text), 'passwordHash')).toBeUndefined()
  })
})
