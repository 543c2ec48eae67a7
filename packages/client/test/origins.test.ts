import { describe, expect, it } from 'vitest'
import { dpop } from '../src/dpop.js'
import { findOrigin } from '../src/guarded-fetch.js'
import { createAuthClient, localStorageTokenStore, memoryTokenStore } from '../src/index.js'
import { letTimePass } from './support/clients.js'
import { openBrowser } from './support/test-browser.js'
import { ada, password, paths, startServer } from './support/test-server.js'

const start = async (isOtherAllowed = false) => {
  const server = await startServer()
  const other = await startServer()
  const browser = openBrowser()
  const { auth } = browser.openTab({
    baseUrl: server.baseUrl,
    ...(isOtherAllowed && { origins: [server.origin, other.origin] }),
  })
  await auth.login({ username: 'ada', password })
  return { server, other, browser, auth }
}

describe('an access token', () => {
  it('is sent to the origin of baseUrl, also to absolute URLs, URL objects and Requests', async () => {
    const { server, auth } = await start()
    const url = `${server.origin}/reports?year=2030`

    for (const input of [url, new URL(url), new Request(url)]) expect((await auth.fetch(input)).status).toBe(200)
  })

  it.each(['/reports', 'reports', '//reports', '@evil.example/reports', '\\evil.example', ' https://evil.example/'])(
    'is sent to the origin of baseUrl for the relative URL %j',
    async (url) => {
      const { server, auth } = await start()

      expect((await auth.fetch(url)).status).toBe(200)
      expect(server.requests.at(-1)?.authorization).toMatch(/^Bearer /)
    },
  )

  it('is sent to the origin of baseUrl when the platform writes its host in another form', async () => {
    const server = await startServer()
    const { auth } = openBrowser().openTab({ baseUrl: server.baseUrl.replace('127.0.0.1', '127.1') })
    await auth.login({ username: 'ada', password })

    for (const url of ['/reports', `${server.origin}/reports`]) expect((await auth.fetch(url)).status).toBe(200)
  })

  it('is not sent to another origin', async () => {
    const { other, auth } = await start()

    expect((await auth.fetch(`${other.origin}/reports`)).status).toBe(401)
    expect(other.requests.map(({ authorization }) => authorization)).toEqual([undefined])
  })

  it('is sent to another origin that origins lists', async () => {
    const { other, auth } = await start(true)

    await auth.fetch(`${other.origin}/reports`)

    expect(other.requests[0]?.authorization).toMatch(/^Bearer /)
  })

  it.each([false, true])(
    'is not sent after a redirect to another origin, and no refresh follows; origins lists it: %s',
    async (isOtherAllowed) => {
      const { server, other, auth } = await start(isOtherAllowed)

      const response = await auth.fetch(`/redirect?to=${other.origin}/reports`)

      expect(response.status).toBe(401)
      expect(server.requestsTo('/redirect')[0]?.authorization).toMatch(/^Bearer /)
      expect(other.requests.map(({ authorization }) => authorization)).toEqual([undefined])
      expect(server.requestsTo(paths.refresh)).toEqual([])
    },
  )

  it('is sent after a redirect on the same origin', async () => {
    const { auth } = await start()

    const response = await auth.fetch('/redirect?to=/reports')

    expect(await response.json()).toEqual({ userId: ada.id })
  })

  it('never replaces an Authorization header of the application', async () => {
    const { server, auth } = await start()

    const response = await auth.fetch('/reports', { headers: { Authorization: 'Basic YTpi' } })

    expect(response.status).toBe(401)
    expect(server.requests.slice(1).map(({ authorization }) => authorization)).toEqual(['Basic YTpi'])
  })

  it('and a refresh token are never part of a URL', async () => {
    const { server, browser, auth } = await start()
    await auth.fetch('/reports')
    letTimePass(server, browser)(4_000)
    await auth.fetch('/reports')
    await auth.logout()
    const { login, refresh, revoke } = paths
    expect(server.requests.map(({ url }) => url)).toEqual([login, '/reports', refresh, '/reports', revoke])
  })
})

describe('a password and a refresh token', () => {
  it('are not sent after a redirect', async () => {
    const { server, other, browser, auth } = await start()
    server.plan(paths.login, ({ res }) => res.writeHead(307, { Location: `${other.origin}/` }).end())
    server.plan(paths.refresh, ({ res }) => res.writeHead(308, { Location: `${other.origin}/` }).end())
    browser.advanceSeconds(4_000)

    await expect(auth.login({ username: 'ada', password })).rejects.toMatchObject({ code: 'network_error' })
    await auth.getAccessToken()

    expect(other.requests).toEqual([])
  })
})

describe('the origin of a URL', () => {
  it.each([
    ['https://api.example.com/reports', 'https://api.example.com'],
    ['HTTPS://API.Example.com?q', 'https://api.example.com'],
    ['http://localhost:3000#x', 'http://localhost:3000'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ])('of %s is found', (url, origin) => {
    expect(findOrigin(url)).toBe(origin)
    expect(new URL(url).origin).toBe(origin)
  })

  it.each([
    'https://api.example.com@evil.example/',
    'https://api.example.com\\@evil.example/',
    'https:/api.example.com/',
    'https:\\\\api.example.com/',
    ' https://api.example.com/',
    'https://api.example.com\t.evil.example/',
    'blob:https://api.example.com/1',
    '//api.example.com/',
    'data:text/plain,https://api.example.com/',
    '',
  ])('of %j is unknown', (url) => {
    expect(findOrigin(url)).toBe(undefined)
  })
})

describe('an option is a TypeError', () => {
  const baseUrl = 'https://api.example.com'
  const bind = (options: unknown): object => Reflect.apply(dpop, undefined, [options])

  it.each<readonly [string, object | undefined]>([
    ['baseUrl, origins, transport, tokenStore or dpop, not tokenstore', { baseUrl, tokenstore: memoryTokenStore() }],
    ['absolute baseUrl, origins, not undefined', {}],
    ['absolute baseUrl, origins', undefined],
    ['absolute baseUrl, origins, not null', { baseUrl, origins: [null] }],
    ['absolute baseUrl, origins, not api.example.com', { baseUrl: 'api.example.com' }],
    ['absolute baseUrl, origins, not //api.example.com', { baseUrl: '//api.example.com' }],
    ['absolute baseUrl, origins, not *', { baseUrl, origins: ['*'] }],
    ['array of origins, not https://api.example.com', { baseUrl, origins: baseUrl }],
    ['transport body or cookie, not cookies', { baseUrl, transport: 'cookies' }],
    ['tokenStore localStorageTokenStore() or { get, set, clear }, not [object', { baseUrl, tokenStore: {} }],
    [
      'tokenStore localStorageTokenStore() or { get, set, clear }, not',
      { baseUrl, tokenStore: localStorageTokenStore },
    ],
    ['dpop(), not true', { baseUrl, dpop: true }],
    ['dpop(), not', { baseUrl, dpop }],
    ['required or updateKeys, not requird', { baseUrl, dpop: bind({ requird: true }) }],
    ['required or updateKeys, not 0', { baseUrl, dpop: bind('x') }],
    ['required: boolean, not yes', { baseUrl, dpop: bind({ required: 'yes' }) }],
    ['updateKeys(), not 1', { baseUrl, dpop: bind({ updateKeys: 1 }) }],
  ])('of another form: expected %s', (expected, options) => {
    const create = () => Reflect.apply(createAuthClient, undefined, [options])

    expect(create).toThrow(TypeError)
    expect(create).toThrow(`jwt-auth: expected ${expected}`)
  })

  it('dpop may be false', () => {
    expect(() => Reflect.apply(createAuthClient, undefined, [{ baseUrl, dpop: false }])).not.toThrow()
  })

  it('baseUrl may be a path on the origin of the page, and may end with slashes', async () => {
    const server = await startServer()
    const browser = openBrowser({ origin: server.origin })

    for (const path of ['/jwt-auth/v1/', `${server.baseUrl}//`]) {
      const { auth } = browser.openTab({ baseUrl: path })
      await expect(auth.login({ username: 'ada', password })).resolves.toEqual(ada)
      expect((await auth.fetch('/reports')).status).toBe(200)
    }
    expect(() => browser.openTab({ baseUrl: '/' })).not.toThrow()
  })
})
