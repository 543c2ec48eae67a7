import { describe, expect, it } from 'vitest'
import { startClient } from './support/clients.js'
import { failWith, holdRequest } from './support/faults.js'
import { type Fault, paths, type TestServer } from './support/test-server.js'

const countRefreshes = (server: TestServer): number => server.requestsTo(paths.refresh).length

// The access tokens of the server are valid for 3,600 seconds.
describe('an access token', () => {
  it('is used without a refresh until a minute before its expiry', async () => {
    const { server, auth, passSeconds } = await startClient()
    const before = await auth.getAccessToken()

    passSeconds(3_539)

    expect(await auth.getAccessToken()).toBe(before)
    expect(countRefreshes(server)).toBe(0)
  })

  it('is used and refreshed in the minute before its expiry, so that no request waits', async () => {
    const { server, auth, passSeconds } = await startClient()
    const before = await auth.getAccessToken()
    const hold = holdRequest()
    server.plan(paths.refresh, hold.fault)
    passSeconds(3_550)

    expect(await auth.getAccessToken()).toBe(before)

    await hold.reached
    hold.release()
    await expect.poll(() => auth.getAccessToken()).not.toBe(before)
    expect(countRefreshes(server)).toBe(1)
  })

  it('is used in the minute before its expiry while the server cannot refresh it', async () => {
    const { server, auth, passSeconds } = await startClient()
    server.plan(paths.refresh, ...Array.from({ length: 50 }, () => failWith(503, 'jwt_auth_unavailable')))
    passSeconds(3_550)

    expect((await auth.fetch('/reports')).status).toBe(200)
  })

  it('that has expired is never sent: the request waits for the refresh', async () => {
    const { server, auth, passSeconds } = await startClient()
    passSeconds(3_600)

    expect((await auth.fetch('/reports')).status).toBe(200)

    expect(server.requestsTo('/reports')).toHaveLength(1)
    expect(countRefreshes(server)).toBe(1)
  })

  it('with a short lifetime is refreshed in the last quarter', async () => {
    const { server, auth, browser } = await startClient()
    const respond: Fault = ({ res }) => res.end(JSON.stringify(shortLived))
    server.plan(paths.refresh, respond, respond)
    browser.advanceSeconds(3_600)
    await auth.getAccessToken()

    browser.advanceSeconds(7)
    expect(await auth.getAccessToken()).toBe(shortLived.token)
    expect(countRefreshes(server)).toBe(1)

    browser.advanceSeconds(3)
    await auth.getAccessToken()
    expect(countRefreshes(server)).toBe(2)
  })

  it('without a known lifetime is refreshed after a 401 only', async () => {
    const { server, auth, browser } = await startClient()
    server.plan(paths.refresh, ({ res }) => res.end(JSON.stringify({ ...shortLived, expires_in: undefined })))
    browser.advanceSeconds(3_600)
    await auth.getAccessToken()

    browser.advanceSeconds(1_000_000)

    expect(await auth.getAccessToken()).toBe(shortLived.token)
    expect(countRefreshes(server)).toBe(1)
  })
})

const shortLived = {
  token: 'short-lived',
  refresh_token: 'next',
  expires_in: 10,
  user_id: 7,
  user_email: 'ada@example.com',
  user_nicename: 'ada',
  user_display_name: 'Ada Lovelace',
}

describe('the age of an access token', () => {
  it('is the time since its request: a clock of the device that is years behind does not matter', async () => {
    const { server, browser, auth, passSeconds } = await startClient()
    expect(server.clock.now() - browser.now()).toBeGreaterThan(10 * 365 * 86_400_000)

    await auth.fetch('/reports')
    expect(countRefreshes(server)).toBe(0)

    passSeconds(3_600)
    await auth.fetch('/reports')
    expect(countRefreshes(server)).toBe(1)
  })

  it.each([
    ['while the device sleeps, although the monotonic clock may stop', 0, 3_600],
    ['although the user sets the clock of the device back', 3_600, -86_400],
    ['when the user sets the clock of the device forward, for one refresh', 0, 86_400],
  ])('grows %s', async (_, passed, moved) => {
    const { server, browser, auth, passSeconds } = await startClient()
    passSeconds(passed)
    browser.moveClock(moved)

    await auth.fetch('/reports')
    await auth.fetch('/reports')

    expect(server.requests.slice(1).map(({ url }) => url)).toEqual([paths.refresh, '/reports', '/reports'])
  })
})

describe('a refresh', () => {
  it('is in flight once per tab: requests share it', async () => {
    const { server, auth, passSeconds } = await startClient()
    passSeconds(4_000)

    const responses = await Promise.all(Array.from({ length: 20 }, () => auth.fetch('/reports')))

    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
    expect(countRefreshes(server)).toBe(1)
  })

  it('updates the user, and listeners are called', async () => {
    const { server, auth, passSeconds } = await startClient()
    let calls = 0
    auth.subscribe(() => calls++)
    server.plan(paths.refresh, ({ res }) => res.end(JSON.stringify({ ...shortLived, user_display_name: 'Countess' })))
    passSeconds(3_600)

    await auth.getAccessToken()

    expect(auth.getSnapshot().user?.displayName).toBe('Countess')
    expect(calls).toBe(1)
  })
})
