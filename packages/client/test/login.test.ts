import { describe, expect, expectTypeOf, it } from 'vitest'
import { AuthClientError, createAuthClient, memoryTokenStore } from '../src/index.js'
import { dropRequest, failWith, holdResponse, respondWith } from './support/faults.js'
import { openBrowser } from './support/test-browser.js'
import { ada, brian, password, paths, startServer } from './support/test-server.js'

const start = async () => {
  const server = await startServer()
  const browser = openBrowser()
  const { auth } = browser.openTab({ baseUrl: server.baseUrl })
  return { server, browser, auth }
}

describe('a login', () => {
  it('resolves to the user, and the snapshot has the user', async () => {
    const { auth } = await start()

    await expect(auth.login({ username: 'ada', password })).resolves.toEqual(ada)
    expect(auth.getSnapshot()).toEqual({ status: 'authenticated', user: ada })
  })

  it('and a refresh resolve to the user with the profile of the server, and without a token', async () => {
    let count = 0
    const profile = (): { readonly roles: readonly string[]; readonly count: number } => {
      count += 1
      return { roles: ['editor'], count }
    }
    const { baseUrl } = await startServer({ profile })
    const { auth } = openBrowser().openTab({ baseUrl })
    expect(await auth.login({ username: 'ada', password })).toEqual({ ...ada, roles: ['editor'], count: 1 })
    await auth.getAccessToken({ refused: await auth.getAccessToken() })
    expect(auth.getSnapshot()).toEqual({ status: 'authenticated', user: { ...ada, roles: ['editor'], count: 2 } })

    const typed = createAuthClient<ReturnType<typeof profile>>({ baseUrl })
    expectTypeOf(typed.login).returns.resolves.toHaveProperty('roles').toEqualTypeOf<readonly string[]>()
  })

  it('with a wrong password rejects with the code and the status of the server', async () => {
    const { auth } = await start()

    const failure = auth.login({ username: 'ada', password: 'wrong' })

    await expect(failure).rejects.toBeInstanceOf(AuthClientError)
    await expect(failure).rejects.toMatchObject({
      code: 'jwt_auth_failed',
      status: 403,
      message: 'Invalid credentials.',
      retryAfterSeconds: undefined,
    })
    await expect.poll(() => auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
  })

  it.each([[['ada', password]], [[]]])(
    'with the arguments %j rejects with the names of the missing members',
    async (args) => {
      const { auth } = await start()

      await expect(Reflect.apply(auth.login, undefined, args)).rejects.toMatchObject({
        code: 'jwt_auth_invalid_request',
        message: 'Missing parameter(s): username, password',
      })
    },
  )

  it('beyond the rate limit rejects with the time of the next attempt', async () => {
    const { server, auth } = await start()
    server.plan(paths.login, failWith(429, 'jwt_auth_rate_limited', { 'Retry-After': '17' }))

    await expect(auth.login({ username: 'ada', password })).rejects.toMatchObject({
      code: 'jwt_auth_rate_limited',
      status: 429,
      retryAfterSeconds: 17,
    })
  })

  it.each([
    ['the connection breaks', true, dropRequest, /\/v1: unreachable or blocked \(CORS\)$/],
    ['the device is offline', false, dropRequest, /\/v1: offline$/],
    ['the server redirects', true, respondWith(308, '', { Location: '/' }), /\/v1\/token responded 308: check baseUrl/],
  ])('is sent once, and says why it failed, when %s', async (_, isOnline, fault, message) => {
    const server = await startServer()
    const { auth } = openBrowser({ isOnline }).openTab({ baseUrl: server.baseUrl })
    server.plan(paths.login, fault)

    const failure = await auth.login({ username: 'ada', password }).catch((error: unknown) => error)

    expect(failure).toMatchObject({ code: 'network_error', message: expect.stringMatching(message) })
    expect(server.requestsTo(paths.login)).toHaveLength(1)
  })

  it.each([
    [200, '<title>Log in to the Wi-Fi</title>'],
    [200, '{"status":"ok"}'],
    [404, '<pre>Cannot POST /token</pre>'],
    [404, '{"statusCode":404,"message":"Not Found"}'],
    [404, '{"code":404,"message":"Not Found"}'],
    [405, ''],
  ])('rejects a response that is not of jwt-auth, and names its URL: %i %s', async (status, body) => {
    const { server, auth } = await start()
    server.plan(paths.login, respondWith(status, body))

    await expect(auth.login({ username: 'ada', password })).rejects.toMatchObject({
      code: 'invalid_response',
      status,
      message: `${server.baseUrl}/token responded ${status}: check baseUrl, transport`,
    })
  })

  it('that a later login overtakes rejects, and its session is revoked', async () => {
    const { server, auth } = await start()
    const hold = holdResponse()
    server.plan(paths.login, hold.fault)
    const first = auth.login({ username: 'ada', password })
    await hold.reached
    await auth.login({ username: 'brian', password })

    hold.release()

    await expect(first).rejects.toMatchObject({ code: 'session_changed' })
    expect(auth.getSnapshot().user).toEqual(brian)
    await expect.poll(() => server.countSessions(ada)).toBe(0)
  })
})

describe('a logout', () => {
  it('revokes the session and forgets the tokens and the user', async () => {
    const { server, browser } = await start()
    const store = memoryTokenStore()
    const { auth } = browser.openTab({ baseUrl: server.baseUrl, tokenStore: store })
    await auth.login({ username: 'ada', password })
    expect(store.get('')).toContain('jwtauth_rt_')

    await auth.logout()

    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expect(store.get('')).toBe(undefined)
    expect(await auth.getAccessToken()).toBe(undefined)
    expect(await server.countSessions(ada)).toBe(0)
  })

  it('of nobody sends nothing', async () => {
    const { server, auth } = await start()

    await auth.logout()

    expect(server.requests).toEqual([])
  })

  it('without a network forgets the tokens, and the revocation is repeated until the server responds', async () => {
    const { server, browser, auth } = await start()
    await auth.login({ username: 'ada', password })
    const retries = browser.pauseRetries()
    server.plan(
      paths.revoke,
      dropRequest,
      failWith(500, 'jwt_auth_revoke_failed'),
      failWith(503, 'jwt_auth_unavailable'),
    )

    await auth.logout()

    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expect(await server.countSessions(ada)).toBe(1)

    retries.resume()

    await expect.poll(() => server.countSessions(ada)).toBe(0)
    expect(server.requestsTo(paths.revoke)).toHaveLength(4)
  })

  it('with an expired access token refreshes first', async () => {
    const { server, browser, auth } = await start()
    await auth.login({ username: 'ada', password })
    browser.advanceSeconds(4_000)
    server.clock.advanceSeconds(4_000)

    await auth.logout()

    expect(server.requests.map(({ url }) => url)).toEqual([paths.login, paths.revoke, paths.refresh, paths.revoke])
    expect(await server.countSessions(ada)).toBe(0)
  })

  it('of a session that has ended already is not repeated', async () => {
    const { server, auth } = await start()
    await auth.login({ username: 'ada', password })
    await server.endSessions(ada)

    await auth.logout()

    expect(server.requestsTo(paths.revoke)).toHaveLength(1)
  })
})

describe('the snapshot', () => {
  it('is loading until the client knows whether a session exists', async () => {
    const { auth } = await start()

    expect(auth.getSnapshot()).toEqual({ status: 'loading' })
    await expect.poll(() => auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
  })

  it('is the same object until the status or the user changes, as useSyncExternalStore requires', async () => {
    const { server, browser, auth } = await start()
    await auth.login({ username: 'ada', password })
    const before = auth.getSnapshot()

    browser.advanceSeconds(4_000)
    await auth.getAccessToken()

    expect(server.requestsTo(paths.refresh)).toHaveLength(1)
    expect(auth.getSnapshot()).toBe(before)
  })

  it('is announced to listeners until they unsubscribe', async () => {
    const { auth } = await start()
    await expect.poll(() => auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    const seen: string[] = []
    const unsubscribe = auth.subscribe(() => seen.push(auth.getSnapshot().status))
    await auth.login({ username: 'ada', password })
    await auth.logout()
    unsubscribe()
    await auth.login({ username: 'ada', password })

    expect(seen).toEqual(['authenticated', 'unauthenticated'])
  })
})
