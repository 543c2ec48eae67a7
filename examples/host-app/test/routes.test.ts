import { parseJson } from '@jwt-auth/test-support/read-json'
import { beforeAll, describe, expect } from 'vitest'
import { inMemory } from './support/databases.js'
import { demo, jane } from './support/demo-users.js'
import {
  alreadyRevoked,
  authenticated,
  badParameters,
  badSignature,
  failure,
  hostFailure,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noAuthHeader,
  reportsFor,
  success,
  tokenRevoked,
  validToken,
} from './support/expected-responses.js'
import {
  logIn,
  readTokens,
  refresh,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
  requestValidation,
} from './support/flows.js'
import type { JsonResponse, Message } from './support/http-client.js'
import { it } from './support/it.js'
import { openSite, type Site } from './support/site.js'

/** Every route that requires a token. */
const guardedRoutes = [
  ['GET', '/jwt-auth/v1/me'],
  ['GET', '/api/reports'],
  ['GET', '/wp/v2/users/me'],
  ['GET', '/api/sessions'],
  ['DELETE', '/api/sessions/some-session'],
  ['PUT', '/api/account/password'],
  ['DELETE', '/api/account'],
] as const

const askGuardedRoutes = async ({ send }: Site, message: Message): Promise<Readonly<Record<string, JsonResponse>>> => {
  const responses = await Promise.all(guardedRoutes.map(([method, path]) => send(method, path, message)))
  return Object.fromEntries(responses.map((response, position) => [guardedRoutes[position]?.join(' '), response]))
}

const everywhere = (response: JsonResponse): Readonly<Record<string, JsonResponse>> =>
  Object.fromEntries(guardedRoutes.map((route) => [route.join(' '), response]))

/** A token with its signature cut off and another one put on. */
const withForgedSignature = (token: string): string => `${token.split('.', 2).join('.')}.${'A'.repeat(43)}`

describe.concurrent('the host app', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite(inMemory)
    return site.stop
  })

  it('responds at GET /health', async () => {
    expect(await site.send('GET', '/health')).toStrictEqual(success({ status: 'ok' }))
  })

  it.for([
    ['demo', demo],
    ['jane', jane],
  ] as const)('responds to the login of %s with the authentication result', async ([, user]) => {
    const response = await requestToken(site, user)

    expect(response).toStrictEqual(authenticated(user, readTokens(response)))
  })

  it('responds with the same 403 to a wrong password and an unknown user', async () => {
    expect(await requestToken(site, { ...demo, password: jane.password })).toStrictEqual(loginFailed)
    expect(await requestToken(site, { ...demo, username: 'nobody' })).toStrictEqual(loginFailed)
  })

  it('authenticates a user by any spelling of the user name', async () => {
    for (const username of ['DEMO', 'demo ', '\uff44\uff45\uff4d\uff4f']) {
      expect(await requestToken(site, { ...demo, username })).toMatchObject({ status: 200, body: { user_id: 1 } })
    }
  })

  it('authenticates nobody by another name', async () => {
    for (const username of ['d\u00e9mo', 'dem\u043e', 'demo\0', "demo' or '1'='1"]) {
      expect(await requestToken(site, { ...demo, username })).toStrictEqual(loginFailed)
    }
  })

  it('responds with 400 and the names of missing credentials', async () => {
    expect(await site.send('POST', '/jwt-auth/v1/token', { json: { username: 'demo' } })).toStrictEqual(
      badParameters('Missing', 'password'),
    )
  })

  it('exchanges a refresh token for a new pair', async () => {
    const before = await logIn(site, jane)
    const response = await requestRefresh(site, before.refreshToken)
    const after = readTokens(response)

    expect(response).toStrictEqual(authenticated(jane, after))
    expect(after.token).not.toBe(before.token)
    expect(after.refreshToken).not.toBe(before.refreshToken)
  })

  it('responds to racing refreshes of one token with the same successor', async () => {
    const { refreshToken } = await logIn(site)
    const pairs = await Promise.all(Array.from({ length: 5 }, () => refresh(site, refreshToken)))

    expect(new Set(pairs.map((pair) => pair.refreshToken)).size).toBe(1)
  })

  it('validates an access token', async () => {
    expect(await requestValidation(site, (await logIn(site)).token)).toStrictEqual(validToken)
  })

  it('responds at /me with both sets of names', async () => {
    const { token } = await logIn(site)

    expect(await site.send('GET', '/jwt-auth/v1/me', { token })).toStrictEqual(
      success({
        user_id: 1,
        user_email: 'demo@example.com',
        user_nicename: 'demo',
        user_display_name: 'Demo User',
        id: 1,
        email: 'demo@example.com',
        slug: 'demo',
        name: 'Demo User',
        link: '',
      }),
    )
  })

  it('revokes the session of an access token and no other', async () => {
    const [revoked, other] = [await logIn(site), await logIn(site)]

    expect(await requestRevocation(site, revoked.token)).toStrictEqual(tokenRevoked)
    expect(await requestValidation(site, revoked.token)).toStrictEqual(invalidToken)
    expect(await requestRefresh(site, revoked.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await requestRevocation(site, revoked.token)).toStrictEqual(alreadyRevoked)
    expect(await requestValidation(site, other.token)).toStrictEqual(validToken)
  })

  it('responds with the reports of each caller', async () => {
    const [ofDemo, ofJane] = [await logIn(site, demo), await logIn(site, jane)]

    expect(await requestReports(site, ofDemo.token)).toStrictEqual(reportsFor(demo))
    expect(await requestReports(site, ofJane.token)).toStrictEqual(reportsFor(jane))
  })

  it.for([
    ['demo', demo, { id: 1, name: 'Demo User', slug: 'demo', link: '', email: 'demo@example.com' }],
    ['jane', jane, { id: 2, name: 'Jane Roe', slug: 'jane', link: '', email: 'jane@example.com' }],
  ] as const)('shows %s at the users route', async ([, user, body]) => {
    const { token } = await logIn(site, user)

    expect(await site.send('GET', '/wp/v2/users/me', { token })).toStrictEqual(success(body))
  })

  it('greets a user by the display name and an anonymous caller as a guest', async () => {
    const { token } = await logIn(site, jane)

    expect(await site.send('GET', '/api/greeting', { token })).toStrictEqual(
      success({ greeting: expect.stringContaining('Jane Roe') }),
    )
    expect(await site.send('GET', '/api/greeting')).toStrictEqual(
      success({ greeting: expect.stringContaining('guest') }),
    )
  })

  it('responds with 401 to an invalid token at an optional guard', async () => {
    const { token } = await logIn(site)
    await requestRevocation(site, token)

    expect(await site.send('GET', '/api/greeting', { token })).toStrictEqual(invalidToken)
    expect(await site.send('GET', '/api/greeting', { token: 'x' })).toStrictEqual(invalidToken)
  })

  it('responds with 401 at every guarded route to a request without a token', async () => {
    expect(await askGuardedRoutes(site, {})).toStrictEqual(everywhere(noAuthHeader))
  })

  it('responds with 401 at every guarded route to a token with a forged signature', async () => {
    const token = withForgedSignature((await logIn(site)).token)

    expect(await askGuardedRoutes(site, { token })).toStrictEqual(everywhere(badSignature))
  })

  it('responds with 401 at every guarded route to a revoked token', async () => {
    const { token } = await logIn(site)
    await requestRevocation(site, token)

    expect(await askGuardedRoutes(site, { token })).toStrictEqual(everywhere(invalidToken))
  })

  it('responds with 401 at every guarded route to a token of another issuer', async ({ startSite }) => {
    const there = await startSite(inMemory, { ISSUER: 'https://other.example' })
    const { token } = await logIn(there)

    expect(await askGuardedRoutes(site, { token })).toStrictEqual(everywhere(invalidToken))
  })
})

describe.concurrent('the paths and errors of the host app', () => {
  it.for([
    ['GET', '/nowhere'],
    ['POST', '/'],
    ['POST', '/health'],
    ['POST', '/api/reports'],
    ['GET', '/api/nowhere'],
    ['GET', '/wp/v2/users/1'],
    ['GET', '/wp-json/health'],
  ] as const)('responds with 404 in the shape of every error to %s %s', async ([method, path], { startSite }) => {
    const { send } = await startSite(inMemory)

    expect(await send(method, path)).toStrictEqual(hostFailure(404))
  })

  it('responds with 404 of the middleware to an unknown path below the namespace', async ({ startSite }) => {
    const { send } = await startSite(inMemory)

    expect(await send('POST', '/jwt-auth/v1/nowhere')).toStrictEqual(
      failure(404, 'jwt_auth_no_route', 'No route was found matching the URL.'),
    )
  })

  it('responds with 405 to a wrong method below the namespace', async ({ startSite }) => {
    const { send } = await startSite(inMemory)

    expect(await send('GET', '/jwt-auth/v1/token')).toStrictEqual(
      failure(405, 'jwt_auth_method_not_allowed', 'Method not allowed.'),
    )
  })

  it('responds with 400 in the shape of every error to a path that cannot be decoded', async ({ startSite }) => {
    const site = await startSite(inMemory)
    const { token } = await logIn(site)

    expect(await site.send('DELETE', '/api/sessions/%E0%A4%A', { token })).toStrictEqual(hostFailure(400))
  })

  it('sends errors as JSON and names no framework', async ({ startSite }) => {
    const { origin } = await startSite(inMemory)
    const response = await fetch(`${origin}/nowhere`)

    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.has('x-powered-by')).toBe(false)
    expect(parseJson(await response.text())).toHaveProperty('data', { status: 404 })
  })

  it('is mounted below its base path only', async ({ startSite }) => {
    const site = await startSite(inMemory, { BASE_PATH: '/wp-json' })
    const { token } = await logIn(site)

    expect(await requestReports(site, token)).toStrictEqual(reportsFor(demo))
    expect(await site.send('GET', '/health')).toStrictEqual(success({ status: 'ok' }))
    for (const path of ['/', '/health', '/api/reports', '/jwt-auth/v1/me', '/wp-jsonx/health']) {
      expect((await fetch(site.origin + path)).status).toBe(404)
    }
  })

  it('accepts a base path of several segments', async ({ startSite }) => {
    const site = await startSite(inMemory, { BASE_PATH: '/shop/wp-json' })

    expect(await requestReports(site, (await logIn(site)).token)).toStrictEqual(reportsFor(demo))
  })

  it('issues access tokens with the lifetime of ACCESS_TOKEN_SECONDS', async ({ startSite }) => {
    const response = await requestToken(await startSite(inMemory, { ACCESS_TOKEN_SECONDS: '120' }))

    expect(response).toStrictEqual(authenticated(demo, readTokens(response), 120))
  })

  it.for(['SESSION_IDLE_SECONDS', 'SESSION_MAX_SECONDS'])(
    'issues access tokens that expire with the session of %s',
    async (variable, { startSite }) => {
      const response = await requestToken(await startSite(inMemory, { [variable]: '1000' }))

      // Both ends are whole seconds: the one that has begun counts or does not.
      expect([999, 1_000].map((seconds) => authenticated(demo, readTokens(response), seconds))).toContainEqual(response)
    },
  )

  it('issues access tokens with the issuer of ISSUER', async ({ startSite }) => {
    const { token } = await logIn(await startSite(inMemory, { ISSUER: 'https://shop.example/wp-json' }))
    const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

    expect(claims).toHaveProperty('iss', 'https://shop.example/wp-json')
  })
})

describe('a response about a user', () => {
  it.for([
    ['/api/reports', true],
    ['/api/greeting', true],
    ['/api/greeting', false],
    ['/wp/v2/users/me', true],
    ['/api/sessions', true],
  ] as const)(
    'forbids caches and varies by the token: %s (with a token: %s)',
    async ([path, hasToken], { startSite }) => {
      const site = await startSite(inMemory)
      const { token } = await logIn(site)
      const { headers } = await fetch(
        site.origin + path,
        hasToken ? { headers: { Authorization: `Bearer ${token}` } } : {},
      )

      expect([headers.get('cache-control'), headers.get('vary')]).toStrictEqual(['no-store', 'Authorization'])
    },
  )
})
