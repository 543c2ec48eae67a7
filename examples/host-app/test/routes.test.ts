import { parseJson } from '@jwt-auth/test-support/read-json'
import { beforeAll, describe, expect } from 'vitest'
import { demo, jane, logIn, readTokens, requestReports, requestToken, type Tokens } from './support/client.js'
import {
  authenticated,
  hostFailure,
  invalidToken,
  noContent,
  reportsFor,
  success,
  tokenRevoked,
} from './support/expected-responses.js'
import { it } from './support/it.js'
import { inFile, inMemory, openSite, type Site } from './support/site.js'

describe.concurrent('the host app', () => {
  let site: Site

  beforeAll(async () => {
    // Nothing listens at the discard port.
    site = await openSite(inMemory, { OTHER_INSTANCE: 'http://127.0.0.1:9' })
    return site.stop
  })

  it('responds at GET /health', async () => {
    expect(await site.send('GET', '/health')).toStrictEqual(success({ status: 'ok' }))
  })

  it.for([
    ['demo', demo],
    ['jane', jane],
  ] as const)('shows %s their login, their reports, the users route and a greeting', async ([, user]) => {
    const response = await requestToken(site, user)
    const { token } = readTokens(response)
    const { id, email, nicename: slug, displayName: name } = user

    expect(response).toStrictEqual(authenticated(user, readTokens(response)))
    expect(await requestReports(site, token)).toStrictEqual(reportsFor(user))
    expect(await site.send('GET', '/wp/v2/users/me', { token })).toStrictEqual(
      success({ id, name, slug, link: '', email }),
    )
    expect(await site.send('GET', '/api/greeting', { token })).toStrictEqual(
      success({ greeting: expect.stringContaining(name) }),
    )
  })

  it('greets an anonymous caller as a guest, and responds with 401 to an invalid token', async () => {
    expect(await site.send('GET', '/api/greeting')).toStrictEqual(
      success({ greeting: expect.stringContaining('guest') }),
    )
    expect(await site.send('GET', '/api/greeting', { token: 'x' })).toStrictEqual(invalidToken)
  })

  it.for([
    ['GET', '/nowhere'],
    ['POST', '/'],
    ['POST', '/api/reports'],
    ['GET', '/wp-json/health'],
  ] as const)('responds with 404 in the shape of every error to %s %s', async ([method, path]) => {
    expect(await site.send(method, path)).toStrictEqual(hostFailure(404))
  })

  it('responds with 400 in the shape of every error to a path that cannot be decoded', async () => {
    const { token } = await logIn(site)

    expect(await site.send('GET', '/api/sessions/%E0%A4%A', { token })).toStrictEqual(hostFailure(400))
  })

  it('sends errors as JSON and names no framework', async () => {
    const response = await fetch(`${site.origin}/nowhere`)

    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.has('x-powered-by')).toBe(false)
    expect(parseJson(await response.text())).toHaveProperty('data', { status: 404 })
  })

  it('responds with 502 when the other instance does not listen', async () => {
    const { token } = await logIn(site)

    expect(await site.send('POST', '/api/other-instance/revoke', { token })).toStrictEqual(hostFailure(502))
  })

  it('shows a session to its user only, also when and why it ended', async () => {
    const [own, other, ofJane] = [await logIn(site), await logIn(site), await logIn(site, jane)]
    const { sessions } = Object((await site.send('GET', '/jwt-auth/v1/sessions', other)).body)
    const { id } = sessions.find((session: { current: boolean }) => session.current)
    const show = (tokens: Tokens) => site.send('GET', `/api/sessions/${id}`, tokens)
    const active = { id, ended_at: null, end_reason: null, expires_at: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(await show(own)).toStrictEqual(success(active))
    expect(await site.send('DELETE', `/jwt-auth/v1/sessions/${id}`, own)).toStrictEqual(noContent)
    const ended = { ...active, ended_at: expect.any(String), end_reason: 'revoked' }
    expect(await show(own)).toStrictEqual(success(ended))
    expect(await show(other)).toStrictEqual(invalidToken)
    expect(await show(ofJane)).toStrictEqual(hostFailure(404))
  })

  it.for([
    ['/api/reports', true],
    ['/api/greeting', true],
    ['/api/greeting', false],
    ['/wp/v2/users/me', true],
  ] as const)('forbids caches, and varies by the token: %s (with a token: %s)', async ([path, hasToken]) => {
    const { token } = await logIn(site)
    const headers: Record<string, string> = hasToken ? { Authorization: `Bearer ${token}` } : {}
    const response = await fetch(site.origin + path, { headers })

    expect([response.headers.get('cache-control'), response.headers.get('vary')]).toStrictEqual([
      'no-store',
      'Authorization',
    ])
  })
})

describe.concurrent('the variables of the host app', () => {
  it('mount the site below its base path only', async ({ startSite }) => {
    const site = await startSite(inMemory, { BASE_PATH: '/shop/wp-json' })

    expect(await requestReports(site, (await logIn(site)).token)).toStrictEqual(reportsFor(demo))
    for (const path of ['/', '/health', '/api/reports', '/jwt-auth/v1/me', '/shop/wp-jsonx/health']) {
      expect((await fetch(site.origin + path)).status).toBe(404)
    }
  })

  it('set the issuer and the lifetimes of tokens and sessions', async ({ startSite }) => {
    const site = await startSite(inMemory, {
      ISSUER: 'https://shop.example/wp-json',
      ACCESS_TOKEN_SECONDS: '120',
      SESSION_IDLE_SECONDS: '600',
    })
    const response = await requestToken(site)
    const { token } = readTokens(response)
    const { iss, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const { body } = await site.send('GET', '/jwt-auth/v1/sessions', { token })
    const [expiry = ''] = /(?<="expires_at":")[^"]+/.exec(JSON.stringify(body)) ?? []

    expect(response).toStrictEqual(authenticated(demo, readTokens(response), 120))
    expect(iss).toBe('https://shop.example/wp-json')
    expect(Math.floor(Date.parse(expiry) / 1000) - iat).toBe(600)
  })

  it('name the other instance, on which a route ends the session', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const other = await startSiteOn(url, { BASE_PATH: '/wp-json' })
    const site = await startSiteOn(url, { OTHER_INSTANCE: `${other.origin}/wp-json` })
    const { token } = await logIn(site)

    expect(await other.send('POST', '/api/other-instance/revoke', { token })).toStrictEqual(hostFailure(404))
    expect(await site.send('POST', '/api/other-instance/revoke', { token })).toStrictEqual(tokenRevoked)
    expect(await requestReports(site, token)).toStrictEqual(invalidToken)
    expect(await requestReports(other, token)).toStrictEqual(invalidToken)
  })
})
