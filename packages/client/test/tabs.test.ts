import { beforeEach, describe, expect, it } from 'vitest'
import { localStorageTokenStore, memoryTokenStore } from '../src/index.js'
import {
  asAda,
  asBrian,
  expectAll,
  letTimePass,
  loggedOut,
  logIn,
  recordWarnings,
  stubLocalStorage,
} from './support/clients.js'
import { dropRequest, holdRequest, holdResponse } from './support/faults.js'
import { type BrowserSetup, openBrowser, type Tab } from './support/test-browser.js'
import { ada, addCookieJar, brian, password, paths, startServer, type TestServer } from './support/test-server.js'

/** Starts a browser whose tabs keep their sessions in memory, or in storage. */
const startTabs = async (count: number, { isStored = false, ...setup }: BrowserSetup & { isStored?: boolean } = {}) => {
  const server = await startServer()
  const browser = openBrowser(setup)
  const open = () => browser.openTab({ baseUrl: server.baseUrl, ...(isStored && { tokenStore: browser.storage }) })
  const tabs = Array.from({ length: count }, open)
  const [first, second] = tabs
  return {
    server,
    browser,
    open,
    tabs,
    passSeconds: letTimePass(server, browser),
    get first() {
      return requireTab(first)
    },
    get second() {
      return requireTab(second)
    },
  }
}

const requireTab = (tab: Tab | undefined): Tab => {
  if (tab === undefined) throw new Error('the test opens fewer tabs')
  return tab
}

const tokensOf = (tabs: readonly Tab[]) => Promise.all(tabs.map(({ auth }) => auth.getAccessToken()))

const countRefreshes = (server: TestServer): number => server.requestsTo(paths.refresh).length

const toError = (error: unknown) => error

describe.each([
  ['memory', { isStored: false }],
  ['storage', { isStored: true }],
])('tabs of one browser with sessions in %s', (_, setup) => {
  it('learn of a refresh, so that no other tab refreshes', async () => {
    const { server, tabs, first, passSeconds } = await startTabs(3, setup)
    await logIn(first)
    await expectAll(tabs, asAda)
    passSeconds(4_000)

    const token = await first.auth.getAccessToken()

    await expect.poll(() => tokensOf(tabs)).toEqual([token, token, token])
    expect(countRefreshes(server)).toBe(1)
  })

  it('learn of a session that the server has ended', async () => {
    const { server, tabs, first, second, passSeconds } = await startTabs(3, setup)
    await logIn(first)
    await expectAll(tabs, asAda)
    await server.endSessions(ada)
    passSeconds(4_000)

    await expect(second.auth.getAccessToken()).rejects.toMatchObject({ code: 'jwt_auth_invalid_refresh_token' })

    await expectAll(tabs, loggedOut)
    expect(countRefreshes(server)).toBe(1)
  })

  it('learn of a login as another user', async () => {
    const { tabs, first, second } = await startTabs(3, setup)
    await logIn(first)
    await expectAll(tabs, asAda)

    await logIn(second, 'brian')

    await expectAll(tabs, asBrian)
    expect(await (await first.auth.fetch('/reports')).json()).toEqual({ userId: brian.id })
  })

  it('give their session to a new tab', async () => {
    const { server, open, first } = await startTabs(1, setup)
    await logIn(first)

    const opened = open()

    await expectAll([opened], asAda)
    expect((await opened.auth.fetch('/reports')).status).toBe(200)
    expect(server.requestsTo(paths.login)).toHaveLength(1)
  })

  it('have one refresh in flight, also when responses are lost or late', async () => {
    const { server, tabs, first, passSeconds } = await startTabs(8, setup)
    await logIn(first)
    await expectAll(tabs, asAda)
    let inFlight = 0
    let highest = 0
    const slow = ({ res, proceed }: Parameters<ReturnType<typeof holdRequest>['fault']>[0]) => {
      inFlight++
      highest = Math.max(highest, inFlight)
      res.once('close', () => inFlight--)
      if (countRefreshes(server) < 3) res.destroy()
      else setTimeout(proceed, 20)
    }
    server.plan(paths.refresh, ...Array.from({ length: 50 }, () => slow))
    passSeconds(4_000)

    const responses = await Promise.all(tabs.map(({ auth }) => auth.fetch('/reports')))
    expect(responses.map(({ status }) => status)).toEqual(tabs.map(() => 200))
    expect([countRefreshes(server), highest]).toEqual([3, 1])
  })

  it('without Web Locks all end with valid tokens, because the server leads them to one successor', async () => {
    const { server, tabs, first, passSeconds } = await startTabs(8, { ...setup, hasLocks: false })
    await logIn(first)
    await expectAll(tabs, asAda)
    for (let round = 0; round < 3; round++) {
      passSeconds(4_000)
      const responses = await Promise.all(tabs.map(({ auth }) => auth.fetch('/reports')))
      expect(responses.map(({ status }) => status)).toEqual(tabs.map(() => 200))
    }

    await expectAll(tabs, asAda)
    expect(await server.countSessions(ada)).toBe(1)
  })

  it('do not log in again when a refresh ends after a logout in another tab', async () => {
    const { server, tabs, first, second, passSeconds } = await startTabs(2, setup)
    await logIn(first)
    await expectAll(tabs, asAda)
    passSeconds(4_000)
    const hold = holdResponse()
    server.plan(paths.refresh, hold.fault)
    const token = first.auth.getAccessToken().catch(toError)
    await hold.reached

    const logout = second.auth.logout()
    await expectAll(tabs, loggedOut)
    hold.release()

    expect(await token).toMatchObject({ code: 'session_changed' })
    await logout
    await expectAll(tabs, loggedOut)
    expect(await server.countSessions(ada)).toBe(0)
  })

  it('drop the refresh in flight of a former user', async () => {
    const { server, tabs, first, second, passSeconds } = await startTabs(2, setup)
    await logIn(first)
    await expectAll(tabs, asAda)
    passSeconds(4_000)
    const hold = holdResponse()
    server.plan(paths.refresh, hold.fault)
    const request = first.auth.fetch('/reports').catch(toError)
    await hold.reached

    await logIn(second, 'brian')
    await expectAll(tabs, asBrian)
    hold.release()

    // The request of ada is not sent as brian.
    expect(await request).toMatchObject({ code: 'session_changed' })
    await expectAll(tabs, asBrian)
    expect(server.requestsTo('/reports')).toEqual([])
    expect(await (await first.auth.fetch('/reports')).json()).toEqual({ userId: brian.id })
  })
})

describe('a tab', () => {
  it('that waited for the lock refreshes itself when the token of the tab before has expired meanwhile', async () => {
    const { server, browser, tabs, first, second, passSeconds } = await startTabs(2, { isStored: true })
    await logIn(first)
    await expectAll(tabs, asAda)
    second.freeze()
    passSeconds(4_000)
    await first.auth.getAccessToken()
    passSeconds(4_000)

    expect((await second.auth.fetch('/reports')).status).toBe(200)

    expect(server.requestsTo('/reports')).toHaveLength(1)
    expect(browser.storage.read()).toContain(`"refreshes":2`)
  })

  it('refreshes without the lock when a suspended tab holds it', async () => {
    const { server, browser, tabs, first, second, passSeconds } = await startTabs(2)
    await logIn(first)
    await expectAll(tabs, asAda)
    passSeconds(4_000)
    const hold = holdRequest()
    server.plan(paths.refresh, hold.fault)
    const suspended = first.auth.getAccessToken()
    await hold.reached
    const token = second.auth.getAccessToken()

    await browser.firePatience()

    expect(await token).toMatch(/^eyJ/)
    hold.release()
    await suspended
    expect(await server.countSessions(ada)).toBe(1)
  })

  it('that returns from the back/forward cache learns of a logout, also when no other tab is open', async () => {
    const { browser, first, second } = await startTabs(2, { isStored: true })
    await logIn(first)
    await expectAll([first, second], asAda)
    first.freeze()
    await second.auth.logout()
    second.freeze()
    expect(first.auth.getSnapshot()).toEqual(asAda)

    first.dispatch('pageshow', { persisted: true })

    await expectAll([first], loggedOut)
    expect(browser.storage.read()).toBe(undefined)
  })

  it('that slept since a logout ends no later login when the clock of the device was corrected', async () => {
    const { browser, open, tabs, first, second } = await startTabs(2, { isStored: true })
    browser.moveClock(7_200)
    await logIn(first)
    await expectAll(tabs, asAda)
    await first.auth.logout()
    await expectAll(tabs, loggedOut)
    for (const tab of tabs) tab.freeze()
    browser.moveClock(-7_200)
    const later = open()
    await logIn(later, 'brian')

    second.dispatch('pageshow', { persisted: true })

    await expectAll([second], asBrian)
    await later.auth.getAccessToken({ refused: await later.auth.getAccessToken() })
    await expectAll([later], asBrian)
  })

  it('that missed a refresh does not end the session of the others with its old token', async () => {
    const { server, tabs, first, second, passSeconds } = await startTabs(2, { isStored: true, hasLocks: false })
    await logIn(first)
    await expectAll(tabs, asAda)
    second.freeze()
    passSeconds(4_000)
    await first.auth.getAccessToken()
    passSeconds(60)

    expect((await second.auth.fetch('/reports')).status).toBe(200)

    expect(countRefreshes(server)).toBe(1)
    expect(await server.countSessions(ada)).toBe(1)
  })

  it('that learns of the end of its session does not end a later login of another tab', async () => {
    const { server, tabs, first, second, passSeconds } = await startTabs(2)
    await logIn(first)
    await expectAll(tabs, asAda)
    passSeconds(4_000)
    const hold = holdRequest()
    server.plan(paths.refresh, async (exchange) => {
      await hold.fault(exchange)
    })
    const token = first.auth.getAccessToken().catch(toError)
    await hold.reached
    first.freeze()
    await server.endSessions(ada)
    await logIn(second, 'brian')
    hold.release()

    expect(await token).toMatchObject({ code: 'jwt_auth_invalid_refresh_token' })
    await expectAll([second], asBrian)
  })
})

describe('a reload', () => {
  it('restores the user and the tokens from the store without a request', async () => {
    const { server, open, first } = await startTabs(1, { isStored: true })
    await logIn(first)
    first.freeze()
    const sent = server.requests.length

    const reloaded = open()

    await expectAll([reloaded], asAda)
    expect(server.requests).toHaveLength(sent)
    expect((await reloaded.auth.fetch('/reports')).status).toBe(200)
  })

  it('refreshes tokens that expired while no page was open', async () => {
    const { server, open, first, passSeconds } = await startTabs(1, { isStored: true })
    await logIn(first)
    first.freeze()
    passSeconds(86_400)

    const reloaded = open()

    await expectAll([reloaded], asAda)
    await reloaded.auth.fetch('/reports')
    expect(server.requests.slice(1).map(({ url }) => url)).toEqual([paths.refresh, '/reports'])
  })

  it('refreshes tokens of the future, because the user has set the clock of the device back', async () => {
    const { server, browser, open, first } = await startTabs(1, { isStored: true })
    await logIn(first)
    first.freeze()
    browser.moveClock(-3_000)

    await open().auth.getAccessToken()

    expect(countRefreshes(server)).toBe(1)
  })

  it.each(['', 'not JSON', 'null', '{"login":"x"}', '{"v":2}'])('ignores a store that contains %j', async (text) => {
    const { browser, open } = await startTabs(0, { isStored: true })
    browser.storage.set(text, '')

    await expectAll([open()], loggedOut)
  })
})

describe('a store of the application', () => {
  let warnings: readonly unknown[][] = []
  beforeEach(() => {
    warnings = recordWarnings()
  })

  const createSlowStore = () => {
    let stored: string | null = null
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    return {
      read: () => stored,
      get: async () => {
        await turn()
        return stored
      },
      set: async (text: string) => {
        await turn()
        await turn()
        stored = text
      },
      clear: async () => {
        await turn()
        stored = null
      },
    }
  }

  it('may be asynchronous: calls are not mixed', async () => {
    const server = await startServer()
    const tokenStore = createSlowStore()
    const { auth } = openBrowser().openTab({ baseUrl: server.baseUrl, tokenStore })
    const login = auth.login({ username: 'ada', password })
    await expect.poll(() => auth.getSnapshot()).toEqual(asAda)
    await Promise.all([login, auth.logout()])

    expect(tokenStore.read()).toBe(null)
  })

  it('that is slow to clear does not end a later login', async () => {
    const server = await startServer()
    const browser = openBrowser()
    let clear = () => {}
    const fast = createSlowStore()
    const tokenStore = {
      ...fast,
      clear: async () => {
        await new Promise<void>((resolve) => {
          clear = resolve
        })
        await fast.clear()
      },
    }
    const { auth } = browser.openTab({ baseUrl: server.baseUrl, tokenStore })
    await auth.login({ username: 'ada', password })
    const logout = auth.logout()
    await expect.poll(() => auth.getSnapshot()).toEqual(loggedOut)
    const login = auth.login({ username: 'brian', password })
    await expect.poll(() => auth.getSnapshot()).toEqual(asBrian)

    clear()

    await Promise.all([logout, login])
    expect(auth.getSnapshot()).toEqual(asBrian)
    expect(tokenStore.read()).toContain('brian')
  })

  /**
   * Starts a browser whose store rejects each call while it is locked, as the Keychain of iOS does.
   */
  const startLockable = async () => {
    const server = await startServer()
    const browser = openBrowser()
    const lock = { isOn: false, callsLeft: Infinity }
    const fast = createSlowStore()
    const unlessLocked = (call: () => Promise<unknown>) => {
      if (lock.isOn && lock.callsLeft-- > 0) throw new Error('errSecInteractionNotAllowed')
      return call()
    }
    const tokenStore = {
      get: async () => {
        await unlessLocked(fast.get)
        return fast.read()
      },
      set: async (text: string) => unlessLocked(() => fast.set(text)),
      clear: async () => unlessLocked(fast.clear),
    }
    return {
      server,
      browser,
      lock,
      read: fast.read,
      open: () => browser.openTab({ baseUrl: server.baseUrl, tokenStore }),
      passSeconds: letTimePass(server, browser),
    }
  }

  const fail = () => Promise.reject(new Error('the keychain is locked'))

  it.each([
    ['fails in get', { get: fail }, 'Error: the keychain is locked'],
    ['fails in set', { set: fail }, 'Error: the keychain is locked'],
    ['fails in clear', { clear: fail }, 'Error: the keychain is locked'],
    ['loses the text', { get: () => null }, 'TypeError: text changed'],
    ['returns another text', { get: () => '{"name":' }, 'TypeError: text changed'],
  ])('that %s ends no session, and is reported once', async (_, methods, failure) => {
    const server = await startServer()
    const browser = openBrowser()
    browser.pauseRetries()
    const tokenStore = { ...createSlowStore(), ...methods }
    const { auth } = browser.openTab({ baseUrl: server.baseUrl, tokenStore })
    await auth.login({ username: 'ada', password })
    browser.advanceSeconds(4_000)
    server.clock.advanceSeconds(4_000)

    expect((await auth.fetch('/reports')).status).toBe(200)
    await auth.logout()
    expect(await server.countSessions(ada)).toBe(0)
    expect(warnings.map(String)).toEqual([`jwt-auth body ${server.baseUrl}: tokenStore,${failure}`])
  })

  it('that fails for a moment receives the rotated tokens after growing delays', async () => {
    const { browser, lock, read, open, passSeconds } = await startLockable()
    const { auth } = open()
    await logIn({ auth })
    passSeconds(4_000)
    const retries = browser.pauseRetries()
    lock.isOn = true
    await auth.getAccessToken()
    lock.callsLeft = 3

    retries.resume()

    await expect.poll(read).toContain('"refreshes":1')
    expect(browser.waits).toEqual([1_000, 2_000, 4_000, 8_000])
  })

  it('that failed for a moment receives the rotated tokens at the next call, so that no restart replays an old one', async () => {
    const { server, browser, lock, read, open, passSeconds } = await startLockable()
    browser.pauseRetries()
    const first = open()
    await logIn(first)
    passSeconds(4_000)
    lock.isOn = true
    await first.auth.getAccessToken()
    lock.isOn = false

    await first.auth.getAccessToken()

    await expect.poll(read).toContain('"refreshes":1')
    first.freeze()
    passSeconds(4_000)
    const restarted = open()

    expect((await restarted.auth.fetch('/reports')).status).toBe(200)
    expect(await server.countSessions(ada)).toBe(1)
  })

  it.each([
    ['the next call', async ({ auth }: Tab) => expect((await auth.fetch('/reports')).status).toBe(200)],
    ['a delay', async (_: Tab, retries: { resume: () => void }) => retries.resume()],
  ])('that failed at the first read is read again after %s', async (_, wait) => {
    const { browser, lock, open } = await startLockable()
    const first = open()
    await logIn(first)
    first.freeze()
    const retries = browser.pauseRetries()
    lock.isOn = true
    const started = open()
    expect((await started.auth.fetch('/reports')).status).toBe(401)
    expect(started.auth.getSnapshot()).toEqual(loggedOut)
    lock.isOn = false

    await wait(started, retries)

    await expectAll([started], asAda)
  })

  it.each([
    ['that it has read', () => {}],
    [
      'that it could not read',
      (tab: Tab, open: () => Tab) => {
        tab.freeze()
        return open()
      },
    ],
  ])('that fails during a logout forgets the session %s at the next call, and revokes it', async (_, restart) => {
    const { server, browser, lock, read, open } = await startLockable()
    browser.pauseRetries()
    const first = open()
    await logIn(first)
    lock.isOn = true
    const { auth } = restart(first, open) ?? first
    await auth.logout()
    expect(read()).toContain('refreshToken')
    lock.isOn = false

    expect((await auth.fetch('/reports')).status).toBe(401)

    expect(auth.getSnapshot()).toEqual(loggedOut)
    await expect.poll(read).toBe(null)
    await expect.poll(() => server.countSessions(ada)).toBe(0)
  })
})

describe('clients that share only a store, such as the worker and the popup of an extension', () => {
  it('use a login of the other one at their next call, also after a logout', async () => {
    const server = await startServer()
    const browser = openBrowser({ hasPages: false })
    const open = () => browser.openTab({ baseUrl: server.baseUrl, tokenStore: browser.storage })
    const [popup, worker] = [open(), open()]
    await expectAll([popup, worker], loggedOut)
    await logIn(popup)

    expect((await worker.auth.fetch('/reports')).status).toBe(200)

    await expectAll([worker], asAda)
    await worker.auth.logout()
    browser.advanceSeconds(1)
    await logIn(popup, 'brian')
    expect(await (await worker.auth.fetch('/reports')).json()).toEqual({ userId: brian.id })
  })
})

describe('clients outside of a browser', () => {
  it('share nothing: a server may have one for each of its users', async () => {
    const server = await startServer()
    const open = () => openBrowser({ hasPages: false }).openTab({ baseUrl: server.baseUrl })
    const [one, two] = [open(), open()]
    await logIn(one)
    await logIn(two, 'brian')

    expect(one.auth.getSnapshot()).toEqual(asAda)
    expect(two.auth.getSnapshot()).toEqual(asBrian)
  })
})

describe('tabs of two transports', () => {
  it('have two sessions: a login or a logout of the one does not change the other', async () => {
    const { server, browser, open, first } = await startTabs(1)
    addCookieJar(server)
    const openCookieTab = () =>
      browser.openTab({ baseUrl: server.baseUrl, transport: 'cookie', tokenStore: browser.storage })
    const cookieTabs = [openCookieTab(), openCookieTab()]
    await expectAll(cookieTabs, loggedOut)
    await logIn(first)

    await logIn(requireTab(cookieTabs[0]), 'brian')
    await expectAll(cookieTabs, asBrian)
    // A new tab asks all tabs for their session.
    await expectAll([first, open()], asAda)

    await first.auth.logout()
    await expectAll([first, open()], loggedOut)
    await expectAll([...cookieTabs, openCookieTab()], asBrian)
  })

  it('have two keys in localStorage by default', async () => {
    const values = stubLocalStorage().set('jwt-auth', 'the session of the transport body')
    const { server, browser } = await startTabs(0)
    addCookieJar(server)
    const { auth } = browser.openTab({ baseUrl: server.baseUrl, transport: 'cookie' })
    await auth.login({ username: 'ada', password })
    browser.pauseRetries()
    server.plan(paths.revoke, dropRequest)

    await auth.logout()

    expect([...values]).toEqual([
      ['jwt-auth', 'the session of the transport body'],
      [`jwt-auth cookie ${server.baseUrl}`, `jwt-auth cookie ${server.baseUrl}`],
    ])
  })
})

describe('clients of two services on one page', () => {
  it.each([
    ['localStorageTokenStore()', localStorageTokenStore],
    ['one store of the application', memoryTokenStore],
  ])('with %s send no tokens of the one to the other, which ends no session', async (_, createStore) => {
    stubLocalStorage()
    const bank = await startServer()
    const widget = await startServer()
    const browser = openBrowser()
    const tokenStore = createStore()
    const first = browser.openTab({ baseUrl: bank.baseUrl, tokenStore })
    await logIn(first)
    const second = browser.openTab({ baseUrl: widget.baseUrl, tokenStore })

    await second.auth.fetch('/reports')
    await second.auth.logout()

    expect(widget.requests.map(({ url, authorization }) => [url, authorization])).toEqual([['/reports', undefined]])
    expect(second.auth.getSnapshot()).toEqual(loggedOut)
    first.freeze()
    await expectAll([browser.openTab({ baseUrl: bank.baseUrl, tokenStore })], asAda)
    await logIn(second, 'brian')
    first.dispatch('pageshow', { persisted: true })
    expect((await first.auth.fetch('/reports')).status).toBe(200)
    expect(first.auth.getSnapshot()).toEqual(asAda)
  })
})
