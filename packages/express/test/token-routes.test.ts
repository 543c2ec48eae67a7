import { bearer, createHttpClient, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import type { JwtAuthOptions } from '../src/index.js'
import { adaAtMe } from './support/bearer-routes.js'
import {
  alreadyRevoked,
  authenticated,
  expectResponse,
  invalidRefreshToken,
  loginFailed,
  success,
  tokenRevoked,
  withoutDate,
} from './support/expected-responses.js'
import {
  logIn,
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestToken,
  type Tokens,
} from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, brianFields, password } from './support/test-users.js'

describe('POST /token', () => {
  it('responds to a correct password with the authentication result', async () => {
    const response = await requestToken(await startHost(express5Framework))

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('ignores unknown members and the Authorization header', async () => {
    const { send } = await startHost(express5Framework)
    const message = json({ username: 'ada', password, remember: true, id: 8 }, { Authorization: 'Bearer not a token' })
    const response = await send('POST', '/jwt-auth/v1/token', message)

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('responds to every failed login with the same 403, in every header and byte', async () => {
    const host = await startHost(express5Framework)
    const responses = await Promise.all([
      requestToken(host, 'nobody'),
      requestToken(host, 'ada', 'wrong'),
      requestToken(host, 'ada', `${password} `),
      requestToken(host, '\u0430da'),
      requestToken(host, 'dora'),
      requestToken(host, 'dora', 'wrong'),
    ])

    for (const response of responses) expectResponse(response, loginFailed)
    expect(new Set(responses.map((response) => JSON.stringify(withoutDate(response)))).size).toBe(1)
  })
})

describe('the option profile', () => {
  /** Starts a host whose OpenAPI document does not name the members of its users. */
  const startUndocumented = async (options: Partial<JwtAuthOptions>): Promise<TestHost> => {
    const host = await startHost(express5Framework, { options })
    return { ...host, send: createHttpClient(`http://127.0.0.1:${host.port}`).send }
  }

  it('adds members to the responses of login, refresh and the current user, as the user is then', async () => {
    let count = 0
    const profile = async ({ id }: { readonly id: unknown }) => {
      count += 1
      return { roles: ['editor'], of: id, count, since: new Date(0), absent: undefined }
    }
    const host = await startUndocumented({ profile })
    const login = await requestToken(host)
    const { token, refreshToken } = readTokens(login)
    const responses = [login, await requestRefresh(host, refreshToken), await host.send('GET', meRoute, bearer(token))]
    for (const [at, { status, text }] of responses.entries()) {
      const body: unknown = JSON.parse(text)
      const added = { roles: ['editor'], of: 7, count: at + 1, since: '1970-01-01T00:00:00.000Z' }
      expect([status, body]).toMatchObject([200, { ...adaFields, ...added }])
      expect(body).not.toHaveProperty('absent')
    }
  })

  it('fails the request with 500 and a report when it throws, and leaves the refresh token valid', async () => {
    let isBroken = false
    const profile = () => {
      if (isBroken) throw new Error('no roles today')
      return {}
    }
    const host = await startUndocumented({ profile, refreshGraceSeconds: 0 })
    const { token, refreshToken } = await openSession(host)
    isBroken = true
    for (const response of [
      await requestToken(host),
      await requestRefresh(host, refreshToken),
      await host.send('GET', meRoute, bearer(token)),
    ])
      expect(response).toMatchObject({ status: 500, text: expect.stringContaining('jwt_auth_internal_error') })
    expect(host.reports).toMatchObject([1, 2, 3].map(() => ({ detail: 'option `profile` failed' })))
    isBroken = false
    expect((await requestRefresh(host, refreshToken)).status).toBe(200)
  })
})

const meRoute = '/jwt-auth/v1/me'

/** Reasons for which a refresh token is invalid. The tests of the core show that all have one error. */
const refusals: readonly (readonly [string, (host: TestHost, tokens: Tokens) => Promise<HttpResponse>])[] = [
  ['unknown', (host) => requestRefresh(host, `jwtauth_rt_${'A'.repeat(64)}`)],
  ['an access token', (host, { token }) => requestRefresh(host, token)],
  [
    'replayed',
    async (host, { refreshToken }) => {
      await refresh(host, refreshToken)
      host.clock.advanceSeconds(31)
      return requestRefresh(host, refreshToken)
    },
  ],
]

describe('POST /token/refresh', () => {
  it.each(['/token/refresh', '/refresh'])(
    'responds at %s with a new access token and a new refresh token',
    async (path) => {
      const host = await startHost(express5Framework)
      const before = await logIn(host)
      const response = await host.send('POST', `/jwt-auth/v1${path}`, json({ refresh_token: before.refreshToken }))
      const after = readTokens(response)

      expectResponse(response, authenticated(after, adaFields))
      expect(after.token).not.toBe(before.token)
      expect(after.refreshToken).not.toBe(before.refreshToken)
    },
  )

  it('responds to every invalid refresh token with the same 403, in every header and byte', async () => {
    const responses = await Promise.all(
      refusals.map(async ([, present]) => {
        const host = await startHost(express5Framework)
        return present(host, await openSession(host))
      }),
    )
    for (const response of responses) expectResponse(response, invalidRefreshToken)
    expect(new Set(responses.map((response) => JSON.stringify(withoutDate(response)))).size).toBe(1)
  })
})

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
})

const requestMe = ({ send }: TestHost, token: string): Promise<HttpResponse> =>
  send('GET', '/jwt-auth/v1/me', bearer(token))

// Which tokens are refused: access-token-check.test.ts.
describe('GET /me', () => {
  it('responds with the user under the names of the token routes and of the users route', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host)

    expectResponse(await requestMe(host, token), success(adaAtMe))
  })

  it('keeps the JSON type of a user id that is text, and responds with the link of the user', async () => {
    const host = await startHost(express5Framework)
    const { token } = await logIn(host, 'brian')

    expectResponse(
      await requestMe(host, token),
      success({
        ...brianFields,
        id: 'user-8',
        email: 'brian@example.com',
        slug: 'brian',
        name: 'Brian Kernighan ✓',
        link: 'https://example.com/people/brian',
      }),
    )
  })
})
