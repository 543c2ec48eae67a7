import { expect, onTestFinished } from 'vitest'
import { type AuthClient, type AuthClientOptions, createClient } from '../../src/auth-client.js'
import type { SessionKey, UpdateKeys } from '../../src/dpop.js'
import type { Channel, Environment, Locks, Page } from '../../src/environment.js'
import type { TokenStore } from '../../src/token-stores.js'
import { createTestLocks } from './test-locks.js'

/** What a browser of a test offers. */
export interface BrowserSetup {
  /** @default true */
  readonly hasLocks?: boolean
  /** @default true */
  readonly hasChannel?: boolean
  /** The number from 0 to 1 in place of random ones. @default 0.5 */
  readonly random?: number
  /** Whether the clients run in pages. @default true */
  readonly hasPages?: boolean
  /** What the pages say of the network. @default true */
  readonly isOnline?: boolean
  /** @default https://www.example.com */
  readonly origin?: string
}

/** A page with a client. */
export interface Tab {
  readonly auth: AuthClient
  /** Calls the listeners of the page for an event. */
  readonly dispatch: Dispatch
  /** Returns the number of listeners of the page for an event. */
  readonly countListeners: (type: string) => number
  /** Disconnects the page from the other tabs, as in the back/forward cache. */
  readonly freeze: () => void
}

type Dispatch = (type: string, event?: { readonly persisted?: boolean }) => void

/** Several tabs with one clock, one set of locks and one storage. */
export interface TestBrowser {
  /** Returns the time of the clock of the device. */
  readonly now: () => number
  readonly openTab: (options: AuthClientOptions) => Tab
  /** A store that all tabs share, as `localStorage`. */
  readonly storage: TokenStore & { readonly read: () => string | undefined }
  /** Moves the clock of the device and the monotonic clock. */
  readonly advanceSeconds: (seconds: number) => void
  /** Moves the clock of the device only: the user sets it, or the device sleeps. */
  readonly moveClock: (seconds: number) => void
  /** The delays before retries that passed so far, in milliseconds. */
  readonly waits: readonly number[]
  /** Fires the timers of requests. */
  readonly fireTimeouts: () => void
  /** Resolves when a tab waits for the lock. */
  readonly awaitWaitingTab: () => Promise<void>
  /** Fires the timers of tabs that wait for the lock. Waits for such a tab. */
  readonly firePatience: () => Promise<void>
  /**
   * Holds the delays before retries until `resume` is called. `count` returns how many have
   * started.
   */
  readonly pauseRetries: () => { readonly resume: () => void; readonly count: () => number }
}

// The clock of the device differs from the server's by years.
const startOfDevice = Date.UTC(2012, 5, 6, 7, 8, 9)

const patienceMs = 20_000
const timeoutsMs = [10_000, 30_000, patienceMs]

// The wait for other tabs. It lasts for turns of the event loop, in place of time: on a busy
// machine, a timer that is due runs before the messages that have arrived. A message and its
// response take two turns.
const tabsMs = 50
const turnsOfTabs = 20

const passTurns = async (): Promise<void> => {
  for (let turn = 0; turn < turnsOfTabs; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export const openBrowser = ({
  hasLocks = true,
  hasChannel = true,
  random = 0.5,
  hasPages = true,
  isOnline = true,
  origin = 'https://www.example.com',
}: BrowserSetup = {}): TestBrowser => {
  const locks = hasLocks ? createTestLocks() : undefined
  const waits: number[] = []
  const timeouts = new Map<() => void, number>()
  let held: (() => void)[] | undefined
  let now = startOfDevice
  let monotonicMs = 0
  let stored: string | undefined

  const store = (text: string | undefined) => {
    stored = text
  }

  const startTimer: Environment['startTimer'] = (delayMs, callback) => {
    if (delayMs === tabsMs) {
      passTurns().then(callback)
      return () => {}
    }
    if (timeoutsMs.includes(delayMs)) {
      timeouts.set(callback, delayMs)
      return () => timeouts.delete(callback)
    }
    let isStopped = false
    const pass = () => {
      if (isStopped) return
      waits.push(delayMs)
      now += delayMs
      monotonicMs += delayMs
      callback()
    }
    if (held) held.push(pass)
    else setImmediate(pass)
    return () => {
      isStopped = true
    }
  }

  const fire = (isFired: (delayMs: number) => boolean) => {
    for (const [callback, delayMs] of [...timeouts]) if (isFired(delayMs)) callback()
  }

  const awaitWaitingTab = async () => {
    await expect.poll(() => [...timeouts.values()]).toContain(patienceMs)
  }

  return {
    waits,
    awaitWaitingTab,
    now: () => now,
    openTab: (options) => {
      const { page, ...tab } = createTestPage({ origin, locks, hasChannel, isOnline })
      const auth = createClient(options, {
        now: () => now,
        monotonicMs: () => monotonicMs,
        random: () => random,
        startTimer,
        page: hasPages ? page : undefined,
      })
      return { auth, ...tab }
    },
    storage: {
      read: () => stored,
      get: () => stored,
      set: store,
      clear: () => store(undefined),
    },
    advanceSeconds: (seconds) => {
      now += seconds * 1_000
      monotonicMs += seconds * 1_000
    },
    moveClock: (seconds) => {
      now += seconds * 1_000
    },
    fireTimeouts: () => fire((delayMs) => delayMs !== patienceMs),
    firePatience: async () => {
      await awaitWaitingTab()
      fire((delayMs) => delayMs === patienceMs)
    },
    pauseRetries: () => {
      held = []
      return {
        count: () => held?.length ?? 0,
        resume: () => {
          const passes = held ?? []
          held = undefined
          for (const pass of passes) pass()
        },
      }
    },
  }
}

/** Creates what the global object of a page has. */
const createTestPage = ({
  origin,
  locks,
  hasChannel,
  isOnline,
}: {
  readonly origin: string
  readonly locks: Locks | undefined
  readonly hasChannel: boolean
  readonly isOnline: boolean
}) => {
  const listeners = new Map<string, Set<Parameters<Page['addEventListener']>[1]>>()
  const channels: NodeChannel[] = []
  const freeze = () => {
    for (const channel of channels.splice(0)) channel.close()
  }
  onTestFinished(freeze)
  class TestChannel implements Channel {
    readonly #channel: NodeChannel
    onmessage: Channel['onmessage'] = null

    constructor(name: string) {
      this.#channel = new BroadcastChannel(name)
      this.#channel.onmessage = (event) => this.onmessage?.({ data: Reflect.get(Object(event), 'data') })
      channels.push(this.#channel)
    }

    postMessage(message: unknown) {
      if (channels.includes(this.#channel)) this.#channel.postMessage(message)
    }
  }
  const page: Page = {
    location: { origin },
    navigator: { locks, onLine: isOnline },
    BroadcastChannel: hasChannel ? TestChannel : undefined,
    addEventListener: (type, listener, options) => {
      listeners.set(type, (listeners.get(type) ?? new Set()).add(listener))
      options?.signal.addEventListener('abort', () => listeners.get(type)?.delete(listener))
    },
  }
  const dispatch: Dispatch = (type, event = {}) => {
    for (const listener of listeners.get(type) ?? []) listener(event)
  }
  return { page, dispatch, freeze, countListeners: (type: string) => listeners.get(type)?.size ?? 0 }
}

/** The instances of the class, which the types of Node declare as a value. */
type NodeChannel = InstanceType<typeof BroadcastChannel>

/** Keeps keys in memory, for all tabs of one browser. */
export const keepKeysInMemory = () => {
  let stored: readonly SessionKey[] = []
  const updateKeys: UpdateKeys = async (_, change) => {
    stored = change(stored)
  }
  return { updateKeys, thumbprints: () => stored.map(({ thumbprint }) => thumbprint) }
}
