import { describe, expect, it } from 'vitest'
import { asAda, asBrian, expectAll, letTimePass, loggedOut } from './support/clients.js'
import { dropRequest } from './support/faults.js'
import { openBrowser, type Tab } from './support/test-browser.js'
import { ada, addCookieJar, brian, password, paths, startServer } from './support/test-server.js'

/** Starts a browser with two tabs. */
const start = async (transport: 'body' | 'cookie') => {
  const server = await startServer()
  addCookieJar(server)
  const browser = openBrowser()
  const open = () => browser.openTab({ baseUrl: server.baseUrl, transport, tokenStore: browser.storage })
  const tabs: readonly [Tab, Tab] = [open(), open()]
  const [{ auth }] = tabs
  await expectAll(tabs, loggedOut)
  const loaded = server.requests.length
  return {
    server,
    auth,
    tabs,
    browser,
    /** Calls a route of the application that responds with tokens. */
    call: (path: string) =>
      auth.fetch(path, {
        method: 'POST',
        headers: transport === 'cookie' ? { 'X-JWT-Auth-Transport': 'cookie' } : {},
      }),
    passSeconds: letTimePass(server, browser),
    /** Returns the paths of the requests since the tabs have loaded. */
    listRequests: () => server.requests.slice(loaded).map(({ url }) => url),
  }
}

describe.each(['body', 'cookie'] as const)(
  'with the transport %s, a client that logs in with a response of sendTokens',
  (transport) => {
    it('logs the user in, in all tabs, without another request', async () => {
      const { auth, tabs, call, listRequests } = await start(transport)

      await expect(auth.loginWithResponse(await call('/sign-up?user=7'))).resolves.toEqual(ada)

      await expectAll(tabs, asAda)
      for (const tab of tabs) expect((await tab.auth.fetch('/reports')).status).toBe(200)
      expect(listRequests()).toEqual(['/sign-up?user=7', '/reports', '/reports'])
    })

    it('continues in all tabs after a password change that ended all sessions', async () => {
      const { server, auth, tabs, call, passSeconds, listRequests } = await start(transport)
      await auth.login({ username: 'ada', password })
      await expectAll(tabs, asAda)
      const before = await auth.getAccessToken()

      await auth.loginWithResponse(await call('/password'))

      const token = await auth.getAccessToken()
      expect(token).not.toBe(before)
      await expect.poll(() => tabs[1].auth.getAccessToken()).toBe(token)
      expect((await tabs[1].auth.fetch('/reports')).status).toBe(200)
      expect(listRequests()).toEqual([paths.login, '/password', '/reports'])
      expect(await server.countSessions(ada)).toBe(1)
      passSeconds(4_000)
      expect((await tabs[1].auth.fetch('/reports')).status).toBe(200)
      await expectAll(tabs, asAda)
    })

    it('rejects with the code and the status of an error, and the user stays logged in', async () => {
      const { auth, tabs, call } = await start(transport)
      await auth.login({ username: 'ada', password })

      await expect(auth.loginWithResponse(await call('/open'))).rejects.toMatchObject({ code: 'invalid_response' })
      await expect(auth.loginWithResponse(await call('/jwt-auth/v1/missing'))).rejects.toMatchObject({
        code: 'jwt_auth_no_route',
        status: 404,
      })

      await expectAll(tabs, asAda)
      expect((await auth.fetch('/reports')).status).toBe(200)
    })

    it('rejects with the expected argument when it is the body of a response', async () => {
      const { auth, call } = await start(transport)
      const json = await (await call('/sign-up?user=7')).json()

      for (const given of [json, undefined])
        await expect(Reflect.apply(auth.loginWithResponse, undefined, [given])).rejects.toThrow(
          new TypeError(`jwt-auth: expected a Response, not ${given}`),
        )
    })

    it('rejects when a logout started later, and revokes the session of the response', async () => {
      const { server, auth, tabs, call } = await start(transport)
      const response = await call('/sign-up?user=7')
      expect(await server.countSessions(ada)).toBe(1)

      const pending = auth.loginWithResponse(response)
      const logout = auth.logout()

      await expect(pending).rejects.toMatchObject({ code: 'session_changed' })
      await logout
      await expectAll(tabs, loggedOut)
      await expect.poll(() => server.countSessions(ada)).toBe(0)
    })
  },
)

describe('with the transport cookie, a client', () => {
  it('accepts no response to a request that did not ask for the cookie', async () => {
    const { auth, tabs } = await start('cookie')

    const response = await auth.fetch('/sign-up?user=7', { method: 'POST' })

    await expect(auth.loginWithResponse(response)).rejects.toMatchObject({ code: 'invalid_response' })
    await expectAll(tabs, loggedOut)
  })

  it('that logs in with a response forgets that a logout has to be completed', async () => {
    const { server, browser, auth, tabs, call } = await start('cookie')
    await auth.login({ username: 'ada', password })
    const retries = browser.pauseRetries()
    server.plan(paths.revoke, dropRequest)
    await auth.logout()
    expect(browser.storage.read()).toBe(`jwt-auth cookie ${server.baseUrl}`)

    await auth.loginWithResponse(await call('/sign-up?user=8'))

    expect(browser.storage.read()).toBe(undefined)
    retries.resume()
    await expect.poll(() => server.countSessions(ada)).toBe(0)
    await expectAll(tabs, asBrian)
    expect(await server.countSessions(brian)).toBe(1)
  })
})
