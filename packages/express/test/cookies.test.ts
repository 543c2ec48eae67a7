import { bearer, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { jwtAuth } from '../src/index.js'
import { authenticated, expectResponse, invalidParameters, invalidRefreshToken } from './support/expected-responses.js'
import { logIn, readTokens, requestRefresh, requestToken } from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { type HostSetup, startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const cookieName = '__Host-jwt_auth_refresh_token'
const app = 'https://app.example.com'
const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' }

const startCookieHost = (setup: HostSetup = {}): Promise<TestHost> =>
  startHost(express5Framework, { ...setup, options: { cookies: { origins: [app] }, ...setup.options } })

/** Sends a request that asks for a cookie. */
const send = (
  host: TestHost,
  path: string,
  { body, ...headers }: { readonly body: object } & Record<string, string | object>,
): Promise<HttpResponse> =>
  host.send('POST', `/jwt-auth/v1${path}`, json(body, { 'X-JWT-Auth-Transport': 'cookie', ...sameOrigin, ...headers }))

const credentials = { username: 'ada', password }

const requestLogin = (host: TestHost, headers: Record<string, string> = {}): Promise<HttpResponse> =>
  send(host, '/token', { body: credentials, ...headers })

/** Reads the only cookie that a response sets. */
const readSetCookie = ({ headers }: HttpResponse): string => {
  expect(headers['set-cookie']).toHaveLength(1)
  return headers['set-cookie']?.[0] ?? ''
}

/** Returns the header with which a browser returns the cookie of a response. */
const returnCookie = (response: HttpResponse): Record<string, string> => ({
  Cookie: readSetCookie(response).split(';')[0] ?? '',
})

const requestCookieRefresh = (host: TestHost, headers: Record<string, string>): Promise<HttpResponse> =>
  send(host, '/token/refresh', { body: {}, ...headers })

describe('refresh tokens in cookies', () => {
  it('set a cookie for this host alone, which scripts cannot read and other sites cannot send', async () => {
    const login = await requestLogin(await startCookieHost())

    expect(login.status).toBe(200)
    expect(readSetCookie(login)).toMatch(
      new RegExp(
        `^${cookieName}=jwtauth_rt_[\\w-]+; Path=/; Max-Age=${30 * 24 * 60 * 60}; Secure; HttpOnly; SameSite=Strict$`,
      ),
    )
  })

  it('are in no body', async () => {
    const host = await startCookieHost()
    const login = await requestLogin(host)
    const refreshed = await requestCookieRefresh(host, returnCookie(login))

    for (const { text } of [login, refreshed]) {
      expect(text).not.toContain('jwtauth_rt_')
      expect(parseJson(text)).toStrictEqual({
        ...adaFields,
        token: expect.any(String),
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 3_600,
      })
    }
  })

  it('expire with the session, at its absolute end at the latest', async () => {
    const host = await startCookieHost({ options: { sessionAbsoluteTimeoutSeconds: 31 * 24 * 60 * 60 } })
    const login = await requestLogin(host)
    host.clock.advanceSeconds(29 * 24 * 60 * 60)

    expect(readSetCookie(await requestCookieRefresh(host, returnCookie(login)))).toContain(
      `; Max-Age=${2 * 24 * 60 * 60};`,
    )
  })

  it.each([
    ['there is no cookie', {}],
    ['the cookie has another name', { Cookie: `x${cookieName}=jwtauth_rt_x` }],
    ['the cookie is invalid', { Cookie: `${cookieName}=jwtauth_rt_x` }],
  ])('are refused like every invalid refresh token if %s', async (_reason, headers: Record<string, string>) => {
    expectResponse(await requestCookieRefresh(await startCookieHost(), headers), invalidRefreshToken)
  })

  it('are refused when the cookie is sent twice', async () => {
    const host = await startCookieHost()
    const { Cookie } = returnCookie(await requestLogin(host))

    expectResponse(await requestCookieRefresh(host, { Cookie: `${Cookie}; ${Cookie}` }), invalidRefreshToken)
  })

  it('are not found under a name with a byte above 7F before, in or after it', async () => {
    const host = await startCookieHost()
    const { Cookie = '' } = returnCookie(await requestLogin(host))
    const accepted: string[] = []
    for (let byte = 0x80; byte <= 0xff; byte += 1) {
      const character = String.fromCharCode(byte)
      for (const position of [0, 2, cookieName.length]) {
        const other = Cookie.slice(0, position) + character + Cookie.slice(position)
        const headers = { 'Content-Type': 'application/json', 'X-JWT-Auth-Transport': 'cookie', ...sameOrigin }
        // With a body of text, Node would send the headers in UTF-8.
        const body = Buffer.from('{}')
        const { status } = await host.send('POST', '/jwt-auth/v1/refresh', {
          headers: { ...headers, Cookie: other },
          body,
        })
        if (status !== 403) accepted.push(`${byte.toString(16)} at ${position}`)
      }
    }
    expect(accepted).toStrictEqual([])
  })

  it('count towards no limit when there is no cookie, as for each page of a user who is not logged in', async () => {
    const host = await startCookieHost({ options: { rateLimits: { tokens: { points: 1, durationSeconds: 60 } } } })
    const statuses: number[] = []
    for (let page = 0; page < 5; page++) statuses.push((await requestCookieRefresh(host, {})).status)
    expect(statuses).toEqual([403, 403, 403, 403, 403])
  })

  it('are refused with 400 next to a refresh token in the body', async () => {
    const host = await startCookieHost()
    const { refreshToken } = await logIn(host)

    const both = await send(host, '/refresh', {
      body: { refresh_token: refreshToken },
      ...returnCookie(await requestLogin(host)),
    })

    const { headers, body } = invalidParameters('refresh_token')
    const message = 'Send the refresh token in the cookie only, not in the body.'
    expectResponse(both, { status: 400, headers, body: { ...(body as object), message } })
    expect((await requestRefresh(host, refreshToken)).status).toBe(200)
  })

  it('are deleted by a revocation, which still needs the bearer token', async () => {
    const host = await startCookieHost()
    const login = await requestLogin(host)
    const { headers = {} } = bearer(readTextMember(parseJson(login.text), 'token'))

    const withoutToken = await send(host, '/token/revoke', { body: {}, ...returnCookie(login) })
    const revoked = await send(host, '/token/revoke', { body: {}, ...(headers as Record<string, string>) })

    expect([withoutToken.status, withoutToken.headers['set-cookie']]).toEqual([401, undefined])
    expect(revoked.status).toBe(200)
    expect(readSetCookie(revoked)).toBe(`${cookieName}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict`)
    expect((await requestCookieRefresh(host, returnCookie(login))).status).toBe(403)
  })

  it('change nothing for requests without the header', async () => {
    const host = await startCookieHost()
    const { Cookie = '' } = returnCookie(await requestLogin(host))

    const login = await requestToken(host)
    expectResponse(login, authenticated(readTokens(login), adaFields))
    expect(login.headers['set-cookie']).toBeUndefined()
    const ignored = await host.send('POST', '/jwt-auth/v1/token/refresh', json({}, { Cookie, ...sameOrigin }))
    expect(ignored.status).toBe(400)
    const { refreshToken } = await logIn(host)
    const refreshed = await host.send(
      'POST',
      '/jwt-auth/v1/token/refresh',
      json({ refresh_token: refreshToken }, { Cookie, ...sameOrigin }),
    )
    expectResponse(refreshed, authenticated(readTokens(refreshed), adaFields))
  })

  it.each([
    ['unless the option is set', undefined, 'cookie', 'Refresh tokens in cookies are not enabled.'],
    ['with another value of the header', {}, 'Cookie', 'Unknown transport.'],
  ])('cannot be asked for %s', async (_, cookies, transport, message) => {
    const host = await startCookieHost({ options: { cookies } })
    const { status, text } = await requestLogin(host, { 'X-JWT-Auth-Transport': transport })
    expect(status).toBe(400)
    expect(parseJson(text)).toMatchObject({ code: 'jwt_auth_invalid_request', message })
  })

  it('keep the cookies that the application sets, on every framework', async () => {
    for (const framework of frameworks) {
      const host = await startHost(framework, {
        options: { cookies: {} },
        before: [
          (_req, res, next) => {
            res.setHeader('Set-Cookie', 'theme=dark')
            next()
          },
        ],
      })
      const { headers } = await requestLogin(host)
      expect(headers['set-cookie'], framework.name).toEqual(['theme=dark', expect.stringContaining(cookieName)])
    }
  })

  it('are sent by the routes of the application, on every framework', async () => {
    for (const framework of frameworks) {
      const host = await startHost(framework, {
        options: { cookies: {} },
        routes: (auth) => [
          { path: '/sign-up', run: async (_req, res) => auth.sendTokens(res, await auth.sessions.create(7)) },
        ],
      })
      const inCookie = await host.send(
        'POST',
        '/sign-up',
        json({}, { 'X-JWT-Auth-Transport': 'cookie', ...sameOrigin }),
      )
      const inBody = await host.send('POST', '/sign-up', json({}))
      const refused = await host.send('POST', '/sign-up', json({}, { 'X-JWT-Auth-Transport': 'cookie' }))

      expect(readSetCookie(inCookie), framework.name).toContain(`${cookieName}=jwtauth_rt_`)
      expect(inCookie.text).not.toContain('jwtauth_rt_')
      expectResponse(inBody, authenticated(readTokens(inBody), adaFields))
      expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined])
    }
  })
})

describe('the origin of a request that asks for a cookie', () => {
  const Host = 'api.example.com'
  const trusted = [
    ['a page of the origin of the routes', { 'Sec-Fetch-Site': 'same-origin' }],
    ['a page of a listed origin of the site', { 'Sec-Fetch-Site': 'same-site', Origin: app }],
    ['an old browser, a page of the origin of the routes', { Origin: `https://${Host}`, Host }],
    ['an old browser, a page of a listed origin', { Origin: app, Host }],
  ] as const
  const untrusted = [
    ['a page of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    ['a page of another site that is listed', { 'Sec-Fetch-Site': 'cross-site', Origin: app }],
    ['a page of another host of the site', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://blog.example.com' }],
    ['no page', { 'Sec-Fetch-Site': 'none' }],
    ['an old browser, a page of another site', { Origin: 'https://evil.example' }],
    ['an old browser, a page without an origin', { Origin: 'null' }],
    ['no browser', {}],
  ] as const
  const requests = [
    ['a login', '/token', credentials],
    ['a refresh', '/token/refresh', {}],
  ] as const
  const post = (host: TestHost, path: string, body: object, headers: object): Promise<HttpResponse> =>
    host.send('POST', `/jwt-auth/v1${path}`, json(body, { 'X-JWT-Auth-Transport': 'cookie', ...headers }))

  describe.each(requests)('%s', (_request, path, body) => {
    it.each(trusted)('is accepted from %s', async (_name, headers) => {
      const host = await startCookieHost()
      const cookie = returnCookie(await requestLogin(host))
      expect((await post(host, path, body, { ...headers, ...cookie })).status).toBe(200)
    })

    it.each(untrusted)('is refused from %s, and sets no cookie', async (_name, headers) => {
      const host = await startCookieHost()
      const cookie = returnCookie(await requestLogin(host))

      const { status, text, headers: responded } = await post(host, path, body, { ...headers, ...cookie })

      expect(parseJson(text)).toStrictEqual({
        code: 'jwt_auth_untrusted_origin',
        message: 'This origin may not use the cookie of the refresh token.',
        data: { status: 403 },
      })
      expect([status, responded['set-cookie']]).toEqual([403, undefined])
      expect((await requestCookieRefresh(host, cookie)).status).toBe(200)
    })

    it.each([
      [`http://${Host}`, 'The cookie of the refresh token needs a page with HTTPS.'],
      ['http://localhost.example.com', 'The cookie of the refresh token needs a page with HTTPS.'],
      ['http://localhost:5173', 'This origin may not use the cookie of the refresh token.'],
      ['http://app.example.com', 'The cookie of the refresh token needs a page with HTTPS.', 'same-origin'],
    ])('is refused from the page %s with the reason, and is reported', async (Origin, message, site?: string) => {
      const host = await startCookieHost()
      const headers = { Origin, Host, ...(site !== undefined && { 'Sec-Fetch-Site': site }) }
      const { status, text } = await post(host, path, body, headers)
      expect([status, parseJson(text)]).toEqual([
        403,
        { code: 'jwt_auth_untrusted_origin', message, data: { status: 403 } },
      ])
      expect(host.reports).toMatchObject([{ detail: expect.stringContaining(`a page of ${Origin} asked for`) }])
    })
  })

  it('may be a page of localhost without HTTPS that is listed', async () => {
    for (const Origin of [
      'http://localhost:5173',
      'http://app.localhost',
      'http://127.0.0.1:8080',
      'http://[::1]:80',
    ]) {
      const origins = [new URL(Origin).origin]
      const host = await startCookieHost({ options: { cookies: { origins } } })
      expect((await post(host, '/token', credentials, { Origin: origins[0], Host })).status).toBe(200)
    }
  })
})

describe('the report of an origin that is not trusted', () => {
  const ask = (host: TestHost, headers: object): Promise<HttpResponse> =>
    host.send('POST', '/jwt-auth/v1/token', json(credentials, { 'X-JWT-Auth-Transport': 'cookie', ...headers }))

  it.each([
    ['same-site', 'https://blog.example.com', 'a page of https://blog.example.com'],
    ['cross-site', 'https://app.example.net', 'a page of https://app.example.net'],
    ['same-site', 'https://blog.example.com\u009b31m', 'no page'],
    ['none', undefined, 'no page'],
  ])('names the origin and the fix once: %s, %j', async (site, origin, page) => {
    const host = await startCookieHost()
    const headers = { 'Sec-Fetch-Site': site, ...(origin !== undefined && { Origin: origin }) }
    for (const _ of [1, 2]) expect((await ask(host, headers)).status).toBe(403)
    const detail = `a request of ${page} asked for a cookie: pages must have HTTPS and be on the same site as the routes, such as https://app.example.com and https://api.example.com, and the option \`cookies.origins\` must contain their origin`
    expect(host.reports).toMatchObject([{ code: 'jwt_auth_untrusted_origin', detail }])
  })

  it('is made once a minute, because clients choose the origin', async () => {
    const host = await startCookieHost()
    for (const name of ['a', 'b', 'c', 'd']) {
      if (name === 'd') host.clock.advanceSeconds(60)
      await ask(host, { 'Sec-Fetch-Site': 'same-site', Origin: `https://${name}.example.com` })
    }
    expect(host.reports).toMatchObject([
      { detail: expect.stringContaining('https://a.example.com') },
      { detail: expect.stringContaining('https://d.example.com') },
    ])
  })
})

describe('the option `cookies`', () => {
  const configure = (cookies: unknown): (() => unknown) => {
    const options = { secret: 'x', issuer: 'https://api.example.com', users: {}, storage: {}, cookies }
    // A wrong option, as a JavaScript application could pass it.
    return () => jwtAuth(options as never)
  }

  it.each([
    [null, 'the options of `cookies` must be an object; received null'],
    [{ origin: app }, '`cookies` has no option `origin` (did you mean `origins`?)'],
    [{ origins: app }, '`cookies.origins` must be a list of origins'],
    [
      { origins: [app, `${app}/`] },
      '`cookies.origins[1]` must be an origin such as "https://app.example.com", with https: unless it is localhost, in lower case, without a default port, a path or a trailing slash; * is not supported; received a string.',
    ],
    [{ origins: ['https://App.example.com'] }, '`cookies.origins[0]` must be an origin'],
    [{ origins: ['https://app.example.com:443'] }, '`cookies.origins[0]` must be an origin'],
    [
      { origins: ['http://app.example.com'] },
      '`cookies.origins[0]` must be an origin such as "https://app.example.com", with https: unless it is localhost',
    ],
    [{ origins: ['app.example.com'] }, '`cookies.origins[0]` must be an origin'],
    [{ origins: ['ws://app.example.com'] }, '`cookies.origins[0]` must be an origin'],
    [
      { origins: [app, undefined] },
      'option `cookies.origins[1]` is missing; pass an origin, or set the environment variable that you read it from',
    ],
    [{ origins: ['*'] }, '`cookies.origins[0]` must be an origin'],
    [{ origins: [7] }, '`cookies.origins[0]` must be an origin such as "https://app.example.com"'],
    [{ name: 'refresh' }, '`cookies.name` must be a name of letters, digits, _, - and . with the prefix __Host-'],
    [{ name: 'x__Host-a' }, '`cookies.name` must be a name'],
    [{ name: ['__Host-a'] }, '`cookies.name` must be a name'],
    [{ name: '__Host-a;b' }, '`cookies.name` must be a name'],
  ])('must not be %o', (cookies, message) => {
    expect(configure(cookies)).toThrow(message)
  })

  it('can give the cookie another name', async () => {
    const login = await requestLogin(await startCookieHost({ options: { cookies: { name: '__Host-admin' } } }))
    expect(readSetCookie(login)).toMatch(/^__Host-admin=jwtauth_rt_/)
  })
})
