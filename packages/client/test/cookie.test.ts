import { describe, expect, it } from 'vitest'
import { asAda, asBrian, expectAll, letTimePass, loggedOut, logIn, recordWarnings } from './support/clients.js'
import { dropRequest, failWith, holdRequest, holdResponse, respondWith } from './support/faults.js'
import { openBrowser } from './support/test-browser.js'
import { ada, addCookieJar, brian, password, paths, startServer } from './support/test-server.js'

const start = async () => {
  const server = await startServer()
  const jar = addCookieJar(server)
  const browser = openBrowser()
  const open = () => browser.openTab({ baseUrl: server.baseUrl, transport: 'cookie', tokenStore: browser.storage })
  const urlsFrom = (position: number) => server.requests.slice(position).map(({ url }) => url)
  return { server, jar, browser, open, passSeconds: letTimePass(server, browser), urlsFrom }
}

describe('with the cookie transport, a client', () => {
  it('names the transport at login, refresh and revoke, and sends no refresh token', async () => {
    const { server, jar, open, passSeconds } = await start()
    const tab = open()
    await expectAll([tab], loggedOut)
    const loaded = server.requests.length
    await logIn(tab)
    expect(jar.read()).toMatch(/^jwtauth_rt_/)
    passSeconds(4_000)
    expect((await tab.auth.fetch('/reports')).status).toBe(200)
    await tab.auth.logout()

    expect(server.requests.slice(loaded).map(({ url, transport, body }) => [url, transport, body])).toEqual([
      [paths.login, 'cookie', JSON.stringify({ username: 'ada', password })],
      [paths.refresh, 'cookie', '{}'],
      ['/reports', '', ''],
      [paths.revoke, 'cookie', ''],
    ])
    expect(jar.read()).toBe(undefined)
    expect(await server.countSessions(ada)).toBe(0)
  })

  it('stores no token and no user', async () => {
    const { browser, open } = await start()

    await logIn(open())

    expect(browser.storage.read()).toBe(undefined)
  })

  it('is loading after a reload, until one refresh has restored the session', async () => {
    const { server, open, urlsFrom } = await start()
    const tab = open()
    await logIn(tab)
    tab.freeze()
    const sent = server.requests.length
    const hold = holdResponse()
    server.plan(paths.refresh, hold.fault)

    const reloaded = open()
    const response = reloaded.auth.fetch('/reports')
    await hold.reached
    expect(reloaded.auth.getSnapshot()).toEqual({ status: 'loading' })
    hold.release()

    expect((await response).status).toBe(200)
    expect(reloaded.auth.getSnapshot()).toEqual(asAda)
    expect(urlsFrom(sent)).toEqual([paths.refresh, '/reports'])
  })

  it.each([
    ['without a network', [dropRequest, dropRequest, failWith(503, 'jwt_auth_unavailable')]],
    ['and the 403 of a firewall', [respondWith(403, '{"code":"blocked"}')]],
    ['and the 404 of another server', [respondWith(404, '{"code":"not_found"}')]],
  ])('is loading after a reload %s, and restores the session later', async (_, faults) => {
    const { server, browser, open } = await start()
    const tab = open()
    await logIn(tab)
    tab.freeze()
    const retries = browser.pauseRetries()
    server.plan(paths.refresh, ...faults)

    const reloaded = open()
    await expect.poll(() => retries.count()).toBeGreaterThan(0)
    expect(reloaded.auth.getSnapshot()).toEqual({ status: 'loading' })
    retries.resume()

    await expectAll([reloaded], asAda)
  })

  it('has no user after a reload when the server refuses cookies, until a call succeeds', async () => {
    const { server, open } = await start()
    const tab = open()
    await logIn(tab)
    tab.freeze()
    server.plan(paths.refresh, failWith(400, 'jwt_auth_invalid_request'))

    const reloaded = open()
    await expect(reloaded.auth.getAccessToken()).rejects.toMatchObject({ code: 'jwt_auth_invalid_request' })
    expect(reloaded.auth.getSnapshot()).toEqual(loggedOut)

    expect((await reloaded.auth.fetch('/reports')).status).toBe(200)
    expect(reloaded.auth.getSnapshot()).toEqual(asAda)
  })

  it('restores eight tabs with one refresh', async () => {
    const { server, open } = await start()
    const tab = open()
    await logIn(tab)
    tab.freeze()
    const before = server.requestsTo(paths.refresh).length

    const tabs = Array.from({ length: 8 }, open)
    await expectAll(tabs, asAda)

    expect(server.requestsTo(paths.refresh)).toHaveLength(before + 1)
    const tokens = await Promise.all(tabs.map(({ auth }) => auth.getAccessToken()))
    expect(new Set(tokens).size).toBe(1)
  })

  it('adopts the user of the cookie when it missed a login as another user', async () => {
    const { open, passSeconds } = await start()
    const [first, second] = [open(), open()]
    await logIn(first)
    first.freeze()
    await logIn(second, 'brian')
    passSeconds(4_000)

    await expect(first.auth.fetch('/reports')).rejects.toMatchObject({ code: 'session_changed' })

    expect(first.auth.getSnapshot()).toEqual(asBrian)
  })

  it('asks the server when it returns from the back/forward cache, because a later page may have logged out', async () => {
    const { server, open } = await start()
    const [first, second] = [open(), open()]
    await logIn(first)
    await expectAll([first, second], asAda)
    first.freeze()
    await second.auth.logout()
    second.freeze()
    const sent = server.requests.length

    first.dispatch('pageshow', { persisted: true })

    await expectAll([first], loggedOut)
    expect(server.requests.slice(sent).map(({ url }) => url)).toEqual([paths.refresh])
  })

  it('logs in after a refresh in flight, whose response would replace the cookie', async () => {
    const { server, browser, jar, open, passSeconds } = await start()
    const [first, second] = [open(), open()]
    await logIn(first)
    await expectAll([first, second], asAda)
    passSeconds(4_000)
    const hold = holdResponse()
    server.plan(paths.refresh, hold.fault)
    const token = first.auth.getAccessToken().catch(() => {})
    await hold.reached
    const login = logIn(second, 'brian')
    await browser.awaitWaitingTab()
    hold.release()
    await Promise.all([token, login])
    await expectAll([first, second], asBrian)

    const cookie = jar.read()
    passSeconds(4_000)
    expect(await (await first.auth.fetch('/reports')).json()).toEqual({ userId: brian.id })
    expect(jar.read()).not.toBe(cookie)
  })

  it('logs in after a logout in flight, whose response would clear the cookie', async () => {
    const { server, browser, jar, open } = await start()
    const [first, second] = [open(), open()]
    await logIn(first)
    const hold = holdResponse()
    server.plan(paths.revoke, hold.fault)
    const logout = first.auth.logout()
    await hold.reached
    const login = logIn(second, 'brian')
    await browser.awaitWaitingTab()
    hold.release()
    await Promise.all([logout, login])

    await expectAll([first, second], asBrian)
    expect(jar.read()).toMatch(/^jwtauth_rt_/)
  })

  it('completes a logout without a network after a reload, and does not restore the session', async () => {
    const { server, browser, jar, open } = await start()
    const tab = open()
    await logIn(tab)
    browser.pauseRetries()
    server.plan(paths.revoke, dropRequest)
    await tab.auth.logout()
    tab.freeze()
    expect(jar.read()).toMatch(/^jwtauth_rt_/)

    const reloaded = open()

    await expectAll([reloaded], loggedOut)
    await expect.poll(() => server.countSessions(ada)).toBe(0)
    expect(jar.read()).toBe(undefined)
    await expect.poll(() => browser.storage.read()).toBe(undefined)
  })

  it('reports a store that cannot keep the note of a logout', async () => {
    const warnings = recordWarnings()
    const { server, browser } = await start()
    const failure = new Error('the browser blocks storage')
    const tokenStore = { get: () => null, set: () => Promise.reject(failure), clear: () => {} }
    const tab = browser.openTab({ baseUrl: server.baseUrl, transport: 'cookie', tokenStore })
    await logIn(tab)
    await tab.auth.logout()

    expect(warnings).toEqual([[`jwt-auth cookie ${server.baseUrl}: tokenStore`, failure]])
    expect(await server.countSessions(ada)).toBe(0)
  })

  it('keeps the cookie of a later login when it completes a logout', async () => {
    const { server, browser, jar, open } = await start()
    const tab = open()
    await logIn(tab)
    const retries = browser.pauseRetries()
    server.plan(paths.revoke, dropRequest)
    await tab.auth.logout()
    await logIn(tab, 'brian')

    retries.resume()

    await expect.poll(() => server.countSessions(ada)).toBe(0)
    expect(jar.read()).toMatch(/^jwtauth_rt_/)
    expect(await server.countSessions(brian)).toBe(1)
    expect(server.requestsTo(paths.revoke).map(({ transport }) => transport)).toEqual(['cookie', ''])
    expect(browser.storage.read()).toBe(undefined)
  })

  it('revokes the session of the cookie at a logout while it is loading', async () => {
    const { server, open } = await start()
    const tab = open()
    await logIn(tab)
    tab.freeze()
    const hold = holdRequest()
    server.plan(paths.refresh, hold.fault)
    const reloaded = open()
    await hold.reached

    const logout = reloaded.auth.logout()
    hold.release()
    await logout

    expect(await server.countSessions(ada)).toBe(0)
    expect(reloaded.auth.getSnapshot()).toEqual(loggedOut)
  })

  it.each([
    ['the server has no cookies', false, undefined, 'Refresh tokens in cookies are not enabled.'],
    ['the page has no HTTPS', {}, 'http://app.example.com', 'The cookie of the refresh token needs a page with HTTPS.'],
  ] as const)('rejects a login with the sentence of the server when %s', async (_, cookies, origin, message) => {
    const server = await startServer({ cookies })
    server.always(({ req, proceed }) => {
      Object.assign(req.headers, { origin })
      return proceed()
    })
    const { auth } = openBrowser().openTab({ baseUrl: server.baseUrl, transport: 'cookie' })

    await expect(auth.login({ username: 'ada', password })).rejects.toMatchObject({ message })
  })
})
