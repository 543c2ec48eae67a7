import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { startClient } from './support/clients.js'
import { failWith, holdResponse } from './support/faults.js'
import { openBrowser } from './support/test-browser.js'
import { ada, paths, startServer } from './support/test-server.js'

/**
 * Starts a server that refuses the access token of the client, which has not noticed its expiry.
 */
const startRefusing = async () => {
  const client = await startClient()
  client.server.clock.advanceSeconds(4_000)
  return { ...client, urls: () => client.server.requests.slice(1).map(({ url }) => url) }
}
describe('a 401 of an application route', () => {
  it('causes one refresh and one repetition with the new token', async () => {
    const { auth, urls } = await startRefusing()

    const response = await auth.fetch('/reports')

    expect([response.status, await response.json()]).toEqual([200, { userId: ada.id }])
    expect(urls()).toEqual(['/reports', paths.refresh, '/reports'])
  })

  it('is returned when the repetition fails too, without a loop', async () => {
    const { auth, urls } = await startRefusing()

    const response = await auth.fetch('/refused')

    expect([response.status, await response.text()]).toEqual([401, 'refused'])
    expect(urls()).toEqual(['/refused', paths.refresh, '/refused'])
  })

  it('is returned when the session has ended, and the user is logged out', async () => {
    const { server, auth, urls } = await startRefusing()
    await server.endSessions(ada)

    const response = await auth.fetch('/reports')

    expect([response.status, await response.json()]).toMatchObject([401, { code: 'jwt_auth_invalid_token' }])
    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expect(urls()).toEqual(['/reports', paths.refresh])
  })

  it('is an error when the refresh fails otherwise, since the user stays logged in', async () => {
    const { server, auth } = await startRefusing()
    server.plan(paths.refresh, failWith(400, 'jwt_auth_invalid_request'))

    await expect(auth.fetch('/reports')).rejects.toMatchObject({ code: 'jwt_auth_invalid_request', status: 400 })
    expect(auth.getSnapshot().status).toBe('authenticated')
  })

  it('for a token that was replaced already uses the new token without another refresh', async () => {
    const { server, auth, urls } = await startRefusing()
    const hold = holdResponse()
    server.plan('/slow', hold.fault)
    const slow = auth.fetch('/slow')
    await hold.reached
    await auth.fetch('/reports')

    hold.release()

    expect((await slow).status).toBe(200)
    expect(urls()).toEqual(['/slow', '/reports', paths.refresh, '/reports', '/slow'])
  })

  it('that asks for a more recent login causes no refresh', async () => {
    const { server, browser, auth } = await startRefusing()
    browser.advanceSeconds(4_000)
    await auth.getAccessToken()

    const response = await auth.fetch('/payments')

    expect(await response.json()).toMatchObject({ code: 'jwt_auth_insufficient_user_authentication' })
    expect(server.requestsTo(paths.refresh)).toHaveLength(1)
    expect(server.requestsTo('/payments')).toHaveLength(1)
  })

  it('without a user is returned', async () => {
    const server = await startServer()
    const { auth } = openBrowser().openTab({ baseUrl: server.baseUrl })

    expect((await auth.fetch('/reports')).status).toBe(401)
    expect(server.requests.map(({ url }) => url)).toEqual(['/reports'])
  })

  it('after a logout is returned', async () => {
    const { server, auth } = await startRefusing()
    const hold = holdResponse()
    server.plan('/slow', hold.fault)
    const slow = auth.fetch('/slow')
    await hold.reached
    await auth.logout()
    const sent = server.requests.length

    hold.release()

    expect((await slow).status).toBe(401)
    expect(server.requests).toHaveLength(sent)
  })
})

describe('a token that another client reports as refused', () => {
  it('is replaced with one refresh, also if many requests report it concurrently', async () => {
    const { auth, urls } = await startRefusing()
    const refused = await auth.getAccessToken()

    const tokens = await Promise.all(Array.from({ length: 10 }, () => auth.getAccessToken({ refused })))

    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).not.toBe(refused)
    expect(await auth.getAccessToken()).toBe(tokens[0])
    expect(urls()).toEqual([paths.refresh])
  })

  it('logs the user out if the session has ended', async () => {
    const { server, auth } = await startRefusing()
    const refused = await auth.getAccessToken()
    await server.endSessions(ada)

    await expect(auth.getAccessToken({ refused })).rejects.toMatchObject({ code: 'jwt_auth_invalid_refresh_token' })

    expect(auth.getSnapshot()).toEqual({ status: 'unauthenticated' })
    expect(await auth.getAccessToken({ refused })).toBe(undefined)
  })
})

const stream = () => new Blob(['{"amount":12}']).stream()

const asyncIterable = async function* () {
  yield new TextEncoder().encode('{"amount":12}')
}

describe('a request with a body', () => {
  it.each<readonly [string, (url: string) => readonly [string | Request, RequestInit?]]>([
    ['text', (url) => [url, { method: 'POST', body: '{"amount":12}' }]],
    ['bytes', (url) => [url, { method: 'POST', body: new TextEncoder().encode('{"amount":12}') }]],
    ['a Blob', (url) => [url, { method: 'POST', body: new Blob(['{"amount":12}']) }]],
    ['a Request', (url) => [new Request(url, { method: 'POST', body: '{"amount":12}' })]],
    ['a Request as init', (url) => [url, new Request(url, { method: 'POST', body: '{"amount":12}' })]],
    ['a Request of a stream', (url) => [new Request(url, { method: 'POST', body: stream(), duplex: 'half' })]],
  ])('is repeated with the same body after a 401: %s', async (_, toArguments) => {
    const { server, auth } = await startRefusing()

    const response = await auth.fetch(...toArguments(`${server.origin}/orders`))

    expect(response.status).toBe(200)
    expect(server.requestsTo('/orders').map(({ body, method }) => [method, body])).toEqual([
      ['POST', '{"amount":12}'],
      ['POST', '{"amount":12}'],
    ])
  })

  it.each([
    ['ReadableStream', stream],
    ['async iterable', asyncIterable],
  ])(
    'of a stream that was consumed is not repeated, and the token is replaced for the next request: %s',
    async (_, create) => {
      const { auth, urls } = await startRefusing()
      const refused = await auth.getAccessToken()

      const response = await auth.fetch('/orders', { method: 'POST', body: create(), duplex: 'half' })

      expect([response.status, await response.json()]).toMatchObject([401, { code: 'jwt_auth_invalid_token' }])
      await expect.poll(() => auth.getAccessToken()).not.toBe(refused)
      expect(urls()).toEqual(['/orders', paths.refresh])
    },
  )
})

describe('a member of init that a Request does not keep', () => {
  it('reaches the fetch of the platform, as of Next.js', async () => {
    const { server, auth } = await startRefusing()
    const url = `${server.origin}/refused`
    const { fetch } = globalThis
    const received: unknown[] = []
    vi.stubGlobal('fetch', (input: Request, init: RequestInit) => {
      // Not the refresh, and no request of a client of another test that ends in the background.
      if (input.url === url) received.push(Reflect.get(init, 'next'))
      return fetch(input, init)
    })
    onTestFinished(() => void vi.unstubAllGlobals())
    const next = { revalidate: 60 }
    const init = { method: 'GET', next }

    await auth.fetch(url, init)

    expect(received).toEqual([next, next])
  })
})

describe('the headers of a request', () => {
  it.each<readonly [string, (url: string) => readonly [string | Request, RequestInit?]]>([
    ['an object', (url) => [url, { headers: { 'X-Mark': 'mine' } }]],
    ['an array', (url) => [url, { headers: [['X-Mark', 'mine']] }]],
    ['Headers', (url) => [url, { headers: new Headers({ 'X-Mark': 'mine' }) }]],
    ['those of a Request', (url) => [new Request(url, { headers: { 'X-Mark': 'mine' } })]],
    ['those of a Request as init', (url) => [url, new Request(url, { headers: { 'X-Mark': 'mine' } })]],
  ])('are sent with the access token: %s', async (_, toArguments) => {
    const { server, auth } = await startClient()
    const marks: unknown[] = []
    server.plan('/reports', ({ req, proceed }) => {
      marks.push(req.headers['x-mark'])
      return proceed()
    })

    expect((await auth.fetch(...toArguments(`${server.origin}/reports`))).status).toBe(200)
    expect(marks).toEqual(['mine'])
  })
})
