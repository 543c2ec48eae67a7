// The script of a tab: the client, on a page whose time the test sets and whose activity the test
// watches.

import type { Dpop } from '../../../../src/dpop.js'
import { dpop } from '../../../../src/dpop.js'
import { type AuthClient, createAuthClient, localStorageTokenStore } from '../../../../src/index.js'
import { type DeviceClock, installVirtualTime, type TimedPage } from './virtual-time.js'
import { type PageActivity, type WatchablePage, watchPage } from './watched-page.js'

/** How a tab uses the client. */
export interface TabOptions {
  readonly baseUrl: string
  readonly clock: DeviceClock
  /** @default 'body' */
  readonly transport?: 'body' | 'cookie' | undefined
  /**
   * Which tokens the service binds to the key of the session, which is then kept in `localStorage`.
   * @default no tokens
   */
  readonly bind?: 'refresh-tokens' | 'all-tokens' | undefined
  /** Determines the random numbers of the page. */
  readonly seed: number
}

/** A call of the client that a test starts. */
export type TabCall =
  | readonly ['login', string, string]
  | readonly ['logout']
  | readonly ['fetch', string]
  | readonly ['getAccessToken']

/** What a test learns about a tab. */
export interface TabState extends PageActivity {
  /** When the next timer is due, on the monotonic clock. */
  readonly nextDueMs: number | undefined
  /** The number of calls that have not settled. */
  readonly pending: number
}

/** The functions of a tab that a test calls. */
export interface TabScript {
  readonly open: (options: TabOptions) => void
  readonly setClock: (clock: DeviceClock) => TabState
  /** Starts calls in one task. Returns the number of the first. */
  readonly start: (calls: readonly TabCall[]) => number
  /** Returns the results of some calls: a value, or the code of the error. */
  readonly results: (calls: { readonly first: number; readonly count: number }) => readonly string[]
  readonly snapshot: () => string
  /** Returns the thumbprint of the key of the session. */
  readonly thumbprint: () => string | undefined
}

// The global object of a browser.
const page = globalThis as unknown as TimedPage & WatchablePage & { tab: TabScript }

const realTimer = page.setTimeout.bind(page)
const activity = watchPage(page, (callback) => realTimer(callback, 0))
const time = installVirtualTime(page)

let client: AuthClient | undefined
let binding: Dpop | undefined
const results: (string | undefined)[] = []

const requireClient = (): AuthClient => {
  if (!client) throw new Error('The tab is not open.')
  return client
}

/** Makes the random numbers of the page depend on a seed (a linear congruential generator). */
const seedRandom = (seed: number): void => {
  let state = seed
  Math.random = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state / 2 ** 32
  }
}

const run = async ([method, ...args]: TabCall): Promise<string> => {
  const auth = requireClient()
  const [first = '', second = ''] = args
  if (method === 'login') return (await auth.login({ username: first, password: second })).nicename
  if (method === 'logout') return String((await auth.logout()) ?? 'done')
  if (method === 'getAccessToken') return String(await auth.getAccessToken())
  const response = await auth.fetch(first)
  return `${response.status} ${await response.text()}`
}

const describe = (error: unknown): string => {
  const { code, name } = Object(error)
  return `error: ${code ?? name}`
}

page.tab = {
  open: ({ baseUrl, clock, transport, bind, seed }) => {
    time.set(clock)
    seedRandom(seed)
    binding = bind && dpop()
    client = createAuthClient({
      baseUrl,
      transport,
      dpop: binding,
      tokenStore: bind && transport !== 'cookie' ? localStorageTokenStore() : undefined,
    })
  },
  setClock: (clock) => {
    time.set(clock)
    return {
      ...activity.read(),
      nextDueMs: time.nextDueMs(),
      pending: results.filter((result) => result === undefined).length,
    }
  },
  start: (calls) => {
    const first = results.length
    for (const [place, call] of calls.entries()) {
      results[first + place] = undefined
      run(call).then(
        (value) => {
          results[first + place] = value
        },
        (error) => {
          results[first + place] = describe(error)
        },
      )
    }
    return first
  },
  results: ({ first, count }) => results.slice(first, first + count).map((result) => result ?? 'pending'),
  snapshot: () => {
    const { status, user } = requireClient().getSnapshot()
    return user ? `${status} ${user.nicename}` : status
  },
  thumbprint: () => binding?.getThumbprint(),
}
