import { expect, onTestFinished } from 'vitest'
import { type AuthClient, type AuthClientOptions, createClient } from '../../src/auth-client.js'
import type { SessionKey, UpdateKeys } from '../../src/dpop.js'
import type { Channel, Environment } from '../../src/environment.js'
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
  /** The origin of the pages. @default no page: the platform has no origin */
  readonly origin?: string
}

/** A page with a client. */
export interface Tab {
  readonly auth: AuthClient
  /**
   * Tells the page that it has missed a change: a `storage` event, or its return from the
   * back/forward cache.
   */
  readonly missChange: () => void
  /** Disconnects the page from the other tabs, as in the back/forward cache. */
  readonly freeze: () => void
}

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
  /**
   * Tells all tabs that the device is online again, or that they are visible. Returns how many
   * retries run.
   */
  readonly wake: () => number
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
  origin,
}: BrowserSetup = {}): TestBrowser => {
  const locks = createTestLocks()
  const storageListeners = new Set<() => void>()
  const waits: number[] = []
  const retries = new Set<() => void>()
  const timeouts = new Map<() => void, number>()
  let held: (() => void)[] | undefined
  let now = startOfDevice
  let monotonicMs = 0
  let stored: string | undefined

  // A `storage` event reports changes only.
  const store = (text: string | undefined) => {
    if (text === stored) return
    stored = text
    for (const listener of storageListeners) setImmediate(listener)
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
      const missedChanges: (() => void)[] = []
      const channels: NodeChannel[] = []
      const missChange = () => {
        for (const callback of missedChanges) callback()
      }
      if (!hasChannel) storageListeners.add(missChange)
      const auth = createClient(options, {
        now: () => now,
        monotonicMs: () => monotonicMs,
        random: () => random,
        startTimer,
        retries,
        origin,
        locks: hasLocks ? locks : undefined,
        openChannel: hasChannel
          ? (name) => {
              const channel = new BroadcastChannel(name)
              channels.push(channel)
              onTestFinished(() => {
                channels.splice(0)
                channel.close()
              })
              const port: Channel = {
                onmessage: null,
                postMessage: (message) => channels.includes(channel) && channel.postMessage(message),
              }
              channel.onmessage = (event) => port.onmessage?.({ data: Reflect.get(Object(event), 'data') })
              return port
            }
          : undefined,
        onMissedChange: (callback) => missedChanges.push(callback),
      })
      return {
        auth,
        missChange,
        freeze: () => {
          storageListeners.delete(missChange)
          for (const channel of channels.splice(0)) channel.close()
        },
      }
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
    wake: () => {
      for (const retry of retries) retry()
      return retries.size
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
