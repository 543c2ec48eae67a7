import { describe, expect, it } from 'vitest'
import { AuthClientError } from '../src/index.js'
import { ignoreSignals, startClient } from './support/clients.js'
import { dropRequest, dropResponse, failWith, holdResponse, respondWith } from './support/faults.js'
import { openBrowser } from './support/test-browser.js'
import { ada, type Fault, password, paths, startServer, type TestServer } from './support/test-server.js'

const startExpired = async () => {
  const client = await startClient()
  client.passSeconds(4_000)
  return client
}
const bodiesOfRefreshes = (server: TestServer): readonly string[] =>
  server.requestsTo(paths.refresh).map(({ body }) => body)

const repeat = (count: number, fault: Fault): readonly Fault[] => Array.from({ length: count }, () => fault)

const temporary: readonly (readonly [string, Fault])[] = [
  ['a lost request', dropRequest],
  ['a lost response', dropResponse],
  ['429', failWith(429, 'jwt_auth_rate_limited', { 'Retry-After': '2' })],
  ['500', failWith(500, 'jwt_auth_internal_error')],
  ['503', failWith(503, 'jwt_auth_unavailable', { 'Retry-After': '2' })],
  ['502 of a proxy', respondWith(502, '<h1>Bad Gateway</h1>')],
  ['403 of a proxy', respondWith(403, '<h1>Forbidden</h1>')],
  ['the page of a captive portal', respondWith(200, '<title>Log in to the Wi-Fi</title>')],
  ['a redirect of a captive portal', respondWith(302, '', { Location: 'http://127.0.0.1:9/' })],
]

describe('a refresh', () => {
  it.each(temporary)(
    'is repeated with the same refresh token after %s, and the user stays logged in',
    async (_, fault) => {
      const { server, auth } = await startExpired()
      server.plan(paths.refresh, fault, fault)

      expect((await auth.fetch('/reports')).status).toBe(200)

      const bodies = bodiesOfRefreshes(server)
      expect([bodies.length, new Set(bodies).size]).toEqual([3, 1])
      expect(auth.getSnapshot()).toEqual({ status: 'authenticated', user: ada })
      expect(await server.countSessions(ada)).toBe(1)
    },
  )

  it.each([
    ['obeys', () => {}],
    // The `fetch` of CapacitorHttp (native-bridge.js of @capacitor/android 8.5.2) reads no signal.
    ['ignores', ignoreSignals],
  ])('is repeated with the same refresh token after a timeout where fetch %s its signal', async (_, stubFetch) => {
    stubFetch()
    const { server, browser, auth } = await startExpired()
    const hold = holdResponse()
    server.plan(paths.refresh, hold.fault)
    const token = auth.getAccessToken()
    await hold.reached

    browser.fireTimeouts()

    expect(await token).toMatch(/^eyJ/)
    const bodies = bodiesOfRefreshes(server)
    expect([bodies.length, new Set(bodies).size]).toEqual([2, 1])
    hold.release()
  })

  it('waits longer after each failure, and spreads the attempts of many clients by up to half of the delay', async () => {
    const delays = await Promise.all(
      [0, 1].map(async (random) => {
        const server = await startServer()
        const browser = openBrowser({ random })
        const { auth } = browser.openTab({ baseUrl: server.baseUrl })
        await auth.login({ username: 'ada', password })
        browser.advanceSeconds(4_000)
        server.plan(paths.refresh, ...repeat(4, dropRequest))
        await auth.getAccessToken()
        return browser.waits
      }),
    )

    expect(delays).toEqual([
      [250, 500, 1_000, 2_000],
      [750, 1_500, 3_000, 6_000],
    ])
  })

  it.each(['7', '-7'])('waits at least as long as Retry-After says, by its amount: %s', async (seconds) => {
    const { server, browser, auth } = await startExpired()
    server.plan(paths.refresh, failWith(429, 'jwt_auth_rate_limited', { 'Retry-After': seconds }))

    await auth.getAccessToken()

    expect(browser.waits).toEqual([7_500])
  })

  it.each(['online', 'visibilitychange'])('that waits for its next attempt runs after the event %s', async (event) => {
    const { server, browser, auth, dispatch } = await startExpired()
    const retries = browser.pauseRetries()
    server.plan(paths.refresh, dropRequest, dropRequest)
    const token = auth.getAccessToken()

    for (const sent of [1, 2]) {
      await expect.poll(() => retries.count()).toBe(sent)
      expect(bodiesOfRefreshes(server)).toHaveLength(sent)
      dispatch(event)
    }

    expect(await token).toMatch(/^eyJ/)
    expect(bodiesOfRefreshes(server)).toHaveLength(3)
    expect(browser.waits).toEqual([])
  })

  it('listens to no event after an attempt has succeeded', async () => {
    const { server, auth, countListeners } = await startExpired()
    server.plan(paths.refresh, dropRequest, dropRequest)
    await auth.getAccessToken()
    server.plan(paths.revoke, dropRequest)
    await auth.logout()

    await expect.poll(() => server.countSessions(ada)).toBe(0)
    expect(['online', 'visibilitychange'].map(countListeners)).toEqual([0, 0])
  })

  it('of a call after the device is online again does not wait for the former pause', async () => {
    const { server, browser, auth, dispatch } = await startExpired()
    server.plan(paths.refresh, ...repeat(6, dropRequest))
    await auth.getAccessToken().catch(() => {})
    browser.pauseRetries()

    dispatch('online')

    expect(bodiesOfRefreshes(server)).toHaveLength(6)
    expect(await auth.getAccessToken()).toMatch(/^eyJ/)
  })

  it('waits as long as Retry-After says, also when the device is online again', async () => {
    const { server, browser, auth, dispatch } = await startExpired()
    const retries = browser.pauseRetries()
    server.plan(paths.refresh, dropRequest, failWith(503, 'jwt_auth_unavailable', { 'Retry-After': '7' }))
    const token = auth.getAccessToken()
    await expect.poll(() => retries.count()).toBe(1)
    dispatch('online')
    await expect.poll(() => retries.count()).toBe(2)

    dispatch('online')
    // A refresh would arrive before the last of these requests.
    for (let request = 0; request < 20; request++) await fetch(`${server.origin}/open`)
    expect(bodiesOfRefreshes(server)).toHaveLength(2)
    retries.resume()

    expect(await token).toMatch(/^eyJ/)
    expect(browser.waits).toContain(8_000)
  })

  it('rejects after 20 seconds, and the user stays logged in', async () => {
    const { server, browser, auth } = await startExpired()
    server.plan(paths.refresh, ...repeat(50, dropRequest))

    const failure = await auth.fetch('/reports').catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(AuthClientError)
    expect(failure).toMatchObject({ code: 'network_error' })
    expect(failure).not.toHaveProperty('status')
    expect(browser.waits.reduce((sum, delay) => sum + delay, 0)).toBeLessThanOrEqual(20_000)
    expect(auth.getSnapshot()).toEqual({ status: 'authenticated', user: ada })
    expect(server.requestsTo('/reports')).toEqual([])
  })

  it('that fails is shared by all requests that wait, so that none waits for a refresh of its own', async () => {
    const { server, auth } = await startExpired()
    server.plan(paths.refresh, ...repeat(50, dropRequest))

    const failures = await Promise.all(
      Array.from({ length: 10 }, () => auth.fetch('/reports').catch((error: unknown) => error)),
    )

    expect(new Set(failures).size).toBe(1)
    expect(bodiesOfRefreshes(server)).toHaveLength(6)
  })

  it('rejects immediately while the server accepts no request for longer, without sending one', async () => {
    const { server, browser, auth } = await startExpired()
    server.plan(paths.refresh, failWith(429, 'jwt_auth_rate_limited', { 'Retry-After': '600' }))
    const expected = { code: 'jwt_auth_rate_limited', status: 429, retryAfterSeconds: 600 }

    await expect(auth.getAccessToken()).rejects.toMatchObject(expected)
    await expect(auth.getAccessToken()).rejects.toMatchObject(expected)
    expect(bodiesOfRefreshes(server)).toHaveLength(1)

    browser.advanceSeconds(601)
    expect(await auth.getAccessToken()).toMatch(/^eyJ/)
  })

  it('that is refused with 403 jwt_auth_invalid_refresh_token logs the user out', async () => {
    const { server, auth } = await startExpired()
    await server.endSessions(ada)

    await expect(auth.fetch('/reports')).rejects.toMatchObject({ code: 'jwt_auth_invalid_refresh_token', status: 403 })

    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expect(await auth.getAccessToken()).toBe(undefined)
    expect(bodiesOfRefreshes(server)).toHaveLength(1)
  })

  it.each([
    ['403 with another code', failWith(403, 'jwt_auth_forbidden')],
    ['400', failWith(400, 'jwt_auth_invalid_request')],
    ['404', failWith(404, 'jwt_auth_no_route')],
  ])('that fails with %s is not repeated, and the user stays logged in', async (_, fault) => {
    const { server, auth } = await startExpired()
    server.plan(paths.refresh, fault)

    await expect(auth.getAccessToken()).rejects.toBeInstanceOf(AuthClientError)

    expect(bodiesOfRefreshes(server)).toHaveLength(1)
    expect(auth.getSnapshot()).toEqual({ status: 'authenticated', user: ada })
  })
})

describe('a failed call', () => {
  it('writes nothing to the console, stdout or stderr, and leaves no rejection unhandled', async () => {
    const { server, auth } = await startExpired()
    const written: unknown[] = []
    const record = (...args: readonly unknown[]) => {
      written.push(args)
      return true
    }
    const streams = [process.stdout, process.stderr].map((stream) => [stream, stream.write] as const)
    process.on('unhandledRejection', record)
    for (const [stream] of streams) Object.assign(stream, { write: record })
    try {
      server.plan(paths.refresh, ...repeat(6, dropRequest), failWith(400, 'jwt_auth_invalid_request'))
      for (let call = 0; call < 2; call++) await auth.fetch('/reports').catch(() => {})
      const hold = holdResponse()
      server.plan(paths.refresh, hold.fault)
      const waiting = auth.fetch('/reports').catch(() => {})
      await hold.reached
      const logout = auth.logout()
      hold.release()
      await Promise.all([waiting, logout])
      await auth.login({ username: 'ada', password: 'wrong' }).catch(() => {})
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      for (const [stream, write] of streams) Object.assign(stream, { write })
      process.off('unhandledRejection', record)
    }

    expect(written).toEqual([])
  })
})
