import { findDatabases, findRedis, isPresent } from '@jwt-auth/test-support'
import { describeEach, needs } from '@jwt-auth/test-support/describe-each'
import { readMember } from '@jwt-auth/test-support/read-json'
import { describe, expect, it, onTestFinished } from 'vitest'
import { demo, jane, logIn, type Request, startSite } from './support/site.js'

const [sqlite, ...servers] = await findDatabases()
const redis = await findRedis()

const failure = (status: number, code: string) => ({ status, body: { code, data: { status } } })

const openDatabase = async (kind: typeof sqlite) => {
  const { url, drop } = await kind.createDatabase()
  onTestFinished(drop)
  return url
}

const changePassword = (request: Request, token: string, changed: unknown, current: unknown = demo.password) =>
  request('PUT', '/api/account/password', { token, json: { current_password: current, new_password: changed } })

describe('the example site', () => {
  it('serves its routes to a user', async () => {
    const { request } = await startSite()
    const { token } = await logIn(request)
    const user = { id: 1, name: 'Demo User', slug: 'demo', link: '', email: 'demo@example.com' }
    expect(await request('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await request('GET', '/api/reports', { token })).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', vary: 'Authorization' },
      body: { user_id: 1, reports: expect.any(Array) },
    })
    expect((await request('GET', '/api/greeting', { token })).body).toEqual({ greeting: 'Hello, Demo User!' })
    expect((await request('GET', '/wp/v2/users/me', { token })).body).toEqual(user)
  })

  it('greets an anonymous caller as a guest, and refuses an invalid token', async () => {
    const { request } = await startSite()
    expect((await request('GET', '/api/greeting')).body).toEqual({ greeting: 'Hello, guest!' })
    expect(await request('GET', '/api/greeting', { token: 'x' })).toMatchObject(failure(401, 'jwt_auth_invalid_token'))
  })

  it('refuses requests without a token at its guarded routes', async () => {
    const { request } = await startSite()
    const statuses = [
      ['GET', '/api/reports'],
      ['GET', '/wp/v2/users/me'],
      ['GET', '/api/sessions/x'],
      ['PUT', '/api/account/password'],
      ['DELETE', '/api/account'],
      ['POST', '/api/other-instance/revoke'],
    ].map(async ([method = '', path = '']) => (await request(method, path)).status)
    expect(await Promise.all(statuses)).toEqual(statuses.map(() => 401))
  })

  it('sends its own errors in the shape of the errors of jwt-auth', async () => {
    const { request } = await startSite({ OTHER_INSTANCE: 'http://127.0.0.1:9' })
    const { token } = await logIn(request)
    expect(await request('GET', '/nowhere')).toMatchObject(failure(404, 'host_app_no_route'))
    expect(await request('GET', '/api/sessions/%E0%A4%A', { token })).toMatchObject(
      failure(400, 'host_app_bad_request'),
    )
    expect(await changePassword(request, token, 'x'.repeat(1_000_000))).toMatchObject(
      failure(413, 'host_app_bad_request'),
    )
    expect(await request('POST', '/api/other-instance/revoke', { token })).toMatchObject(
      failure(502, 'host_app_other_instance_failed'),
    )
  })

  it('shows to its user only when and why a session ended', async () => {
    const { request } = await startSite()
    const [{ token }, other, ofJane] = [await logIn(request), await logIn(request), await logIn(request, jane)]
    const { body } = await request('GET', '/jwt-auth/v1/sessions', { token: other.token })
    const id = readMember(body, 'sessions', '0', 'id')
    const show = (token: string) => request('GET', `/api/sessions/${id}`, { token })
    expect((await show(token)).body).toMatchObject({ id, ended_at: null, end_reason: null })
    await request('POST', '/jwt-auth/v1/token/revoke', other)
    expect((await show(token)).body).toMatchObject({ id, ended_at: expect.any(String), end_reason: 'revoked' })
    expect(await show(ofJane.token)).toMatchObject(failure(404, 'host_app_session_not_found'))
  })

  it('ends all sessions of a user with a new password, and responds like a login', async () => {
    const { request } = await startSite()
    const [{ token }, other, ofJane] = [await logIn(request), await logIn(request), await logIn(request, jane)]
    const changed = await changePassword(request, token, 'a new passphrase')
    expect(changed).toMatchObject({ status: 200, body: { user_id: 1, token_type: 'Bearer' } })
    const newToken = String(readMember(changed.body, 'token'))
    const statuses = [token, other.token, newToken, ofJane.token].map(async (token) => {
      const { status } = await request('GET', '/api/reports', { token })
      return status
    })
    expect(await Promise.all(statuses)).toEqual([401, 401, 200, 200])
    await expect(logIn(request)).rejects.toThrow()
    await logIn(request, { ...demo, password: 'a new passphrase' })
  })

  it('accepts one of two concurrent new passwords', async () => {
    const { request } = await startSite()
    const { token } = await logIn(request)
    const changes = ['the first passphrase', 'the second passphrase'].map((to) => changePassword(request, token, to))
    expect((await Promise.all(changes)).map(({ status }) => status).toSorted()).toEqual([200, 403])
  })

  it.each([
    ['no passwords', '', '', 400, 'Missing parameter(s): current_password, new_password'],
    ['an operator of a query', 'a new passphrase', { $ne: '' }, 400, 'Invalid parameter(s): current_password'],
    ['7 characters', 'seven77', demo.password, 400, 'Invalid parameter(s): new_password'],
    ['a password that is guessed first', 'Password', demo.password, 400, 'Invalid parameter(s): new_password'],
    ['the wrong current password', 'a new passphrase', jane.password, 403, 'Invalid credentials.'],
  ])('keeps the password at a change with %s', async (_, changed, current, status, message) => {
    const { request } = await startSite()
    const { token } = await logIn(request)
    expect(await changePassword(request, token, changed, current)).toMatchObject({ status, body: { message } })
    await logIn(request)
  })

  it('deletes an account by its password, also after a restart', async () => {
    const DATABASE_URL = await openDatabase(sqlite)
    const { request, stop } = await startSite({ DATABASE_URL })
    const [ofDemo, ofJane] = [await logIn(request), await logIn(request, jane)]
    const remove = (password: unknown) => request('DELETE', '/api/account', { ...ofDemo, json: { password } })
    expect((await remove('')).status).toBe(400)
    expect((await remove('wrong')).status).toBe(403)
    expect((await remove(demo.password)).status).toBe(204)
    expect(await stop()).toBe('finished')

    const after = await startSite({ DATABASE_URL })
    await expect(logIn(after.request)).rejects.toThrow()
    expect((await after.request('GET', '/api/reports', ofDemo)).status).toBe(401)
    expect((await after.request('GET', '/api/reports', ofJane)).status).toBe(200)
  })

  it('is below its base path only, and ends a session on the other instance', async () => {
    const DATABASE_URL = await openDatabase(sqlite)
    const other = await startSite({ DATABASE_URL, BASE_PATH: '/shop/wp-json' })
    const { origin, request } = await startSite({ DATABASE_URL, OTHER_INSTANCE: `${other.origin}/shop/wp-json` })
    const { token } = await logIn(request)
    expect((await fetch(`${other.origin}/health`)).status).toBe(404)
    expect((await fetch(`${origin}/shop/wp-json/health`)).status).toBe(404)
    expect((await request('POST', '/api/other-instance/revoke', { token })).body).toMatchObject({
      code: 'jwt_auth_token_revoked',
    })
    for (const each of [request, other.request]) {
      expect((await each('GET', '/api/reports', { token })).status).toBe(401)
    }
  })
})

describe('the variables of the site', () => {
  it('set the issuer and the lifetime of access tokens', async () => {
    const { request } = await startSite({ ISSUER: 'https://shop.example', ACCESS_TOKEN_SECONDS: '120' })
    const { body } = await request('POST', '/jwt-auth/v1/token', { json: demo })
    const [, payload = ''] = String(readMember(body, 'token')).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(body).toMatchObject({ expires_in: 120 })
    expect(claims).toMatchObject({ iss: 'https://shop.example', exp: claims.iat + 120 })
  })

  it.each([
    [429, {}],
    [200, { RATE_LIMIT: 'off' }],
    [200, { TRUST_PROXY: '1' }],
    [200, { TRUST_PROXY: 'loopback' }],
  ])('give %i, after ten wrong passwords, to another client of a proxy with %o', async (status, variables) => {
    const { origin } = await startSite({ RATE_LIMIT: 'on', ...variables })
    const logInFrom = (address: string, password: string) =>
      fetch(`${origin}/jwt-auth/v1/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
        body: JSON.stringify({ ...demo, password }),
      })
    for (let count = 0; count < 10; count += 1) await logInFrom('198.51.100.1', 'wrong')
    expect((await logInFrom('198.51.100.2', demo.password)).status).toBe(status)
  })
})

describe('the home of the site', () => {
  it('lists users who can log in and routes that are mounted', async () => {
    const { request } = await startSite({ BASE_PATH: '/wp-json' })
    const { headers, body } = await request('GET', '/')
    expect(headers).toMatchObject({ vary: 'Accept', 'content-security-policy': expect.stringContaining("'none'") })
    const users = [...String(body).matchAll(/<li>(\w+), password <code>(.*)<\/code>/g)]
    for (const [, username = '', password = ''] of users) await logIn(request, { username, password })
    const routes = [...String(body).matchAll(/<code>([A-Z]+) \/wp-json(\/\S*)<\/code>/g)]
    expect([users.length, routes.length]).toEqual([2, 20])
    for (const [, method = '', path = ''] of routes) {
      const { body } = await request(method, path, await logIn(request, method === 'DELETE' ? jane : demo))
      expect([path, readMember(body, 'code')]).not.toEqual([path, expect.stringMatching(/no_route|method/)])
    }
  })

  it('sends browsers a page, and describes the routes of jwt-auth', async () => {
    const { origin } = await startSite()
    for (const [path, part] of [
      ['/', '<script type="module" src="page/main.js">'],
      ['/page/main.js', 'import'],
      ['/openapi.json', '"openapi":"3.1.1"'],
      ['/docs/', 'swagger-initializer.js'],
      ['/docs/swagger-initializer.js', "url: '../openapi.json'"],
    ] as const) {
      const response = await fetch(origin + path, { headers: { Accept: 'text/html' } })
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).toContain(part)
    }
  })
})

const expectKeptSession = async (variables: Readonly<Record<string, string>>, usersUrl?: string) => {
  const { request, stop } = await startSite({ ...variables, RATE_LIMIT: 'on' }, usersUrl)
  const { token } = await logIn(request)
  await stop()
  const after = await startSite(variables, usersUrl)
  expect((await after.request('GET', '/api/reports', { token })).status).toBe(200)
}

describeEach([sqlite, ...servers], 'a site on $name', (kind) => {
  it('keeps users and sessions when it starts again', async () => {
    await expectKeptSession({ DATABASE_URL: await openDatabase(kind) })
  })
})

describe('a site on Redis', needs(redis), () => {
  it('keeps its sessions when it starts again', async () => {
    if (!isPresent(redis)) return
    await expectKeptSession(
      { DATABASE_URL: redis.url.href, ISSUER: `https://${process.pid}.example` },
      await openDatabase(sqlite),
    )
  })
})
