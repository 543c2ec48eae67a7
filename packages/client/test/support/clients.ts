import { expect, onTestFinished, vi } from 'vitest'
import { openBrowser, type Tab, type TestBrowser } from './test-browser.js'
import { ada, brian, password, startServer, type TestServer } from './test-server.js'

export const loggedOut = { status: 'unauthenticated' }
export const asAda = { status: 'authenticated', user: ada }
export const asBrian = { status: 'authenticated', user: brian }

export const logIn = ({ auth }: Pick<Tab, 'auth'>, username = 'ada') => auth.login({ username, password })

/** Waits until all tabs have this snapshot. */
export const expectAll = async (tabs: readonly Tab[], expected: object): Promise<void> => {
  await expect.poll(() => tabs.map(({ auth }) => auth.getSnapshot())).toEqual(tabs.map(() => expected))
}

/** Returns the function that lets time pass on the server and on the device. */
export const letTimePass =
  (server: TestServer, browser: TestBrowser) =>
  (seconds: number): void => {
    browser.advanceSeconds(seconds)
    server.clock.advanceSeconds(seconds)
  }

/** Starts a server, and a browser with one tab in which ada is logged in. */
export const startClient = async () => {
  const server = await startServer()
  const browser = openBrowser()
  const tab = browser.openTab({ baseUrl: server.baseUrl })
  await logIn(tab)
  return { server, browser, ...tab, passSeconds: letTimePass(server, browser) }
}

/** Records what is written with `console.warn` until the test ends, in place of writing it. */
export const recordWarnings = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  return warn.mock.calls
}

/** Gives the process a `localStorage` until the test ends, and returns its values. */
export const stubLocalStorage = (): Map<string, string> => {
  const values = new Map<string, string>()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return values
}

/**
 * Gives the process a `fetch` that ignores its signal until the test ends, and returns the calls.
 */
export const ignoreSignals = (): readonly Promise<Response>[] => {
  const calls: Promise<Response>[] = []
  const platformFetch = fetch
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) => {
    const call = platformFetch(input, { ...init, signal: null })
    calls.push(call)
    return call
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return calls
}
