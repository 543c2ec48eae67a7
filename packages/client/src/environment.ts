import type { TokenStore } from './token-stores.js'

/** Everything that the client uses of its platform besides `fetch`. Tests pass their own. */
export interface Environment {
  /**
   * Returns the time of the device's clock in milliseconds since 1970. A user can set this clock.
   */
  readonly now: () => number
  /**
   * Returns milliseconds on a clock that nobody can set, but that may stop while the device sleeps.
   */
  readonly monotonicMs: () => number
  /** Returns a number from 0 to 1, for the jitter of retries. */
  readonly random: () => number
  /**
   * Calls `callback` once, after `delayMs` milliseconds. The returned function cancels the call. A
   * timer in the background does not keep a process running.
   */
  readonly startTimer: (delayMs: number, callback: () => void, isBackground?: boolean) => () => void
  /** The locks that all tabs share. Absent where the platform has none. */
  readonly locks?: Locks | undefined
  /** The origin of the page. Absent outside of a page. */
  readonly origin?: string | undefined
  /** Opens a channel to the other tabs. Absent where the platform has none. */
  readonly openChannel?: ((name: string) => Channel) | undefined
  /** Calls `callback` when another tab may have changed the session without a message. */
  readonly onMissedChange: (callback: () => void) => void
  /**
   * The functions that the platform calls when the device is online again, and when the page
   * becomes visible.
   */
  readonly retries: Set<() => void>
}

/** The options of one client, and its platform. */
export interface ClientSettings extends Environment {
  /** Identifies the session. Clients of different transports have different sessions. */
  readonly name: string
  readonly usesCookie: boolean
  readonly store: TokenStore
}

/** The part of the Web Locks API that the client calls. */
export interface Locks {
  readonly request: <T>(name: string, options: { readonly signal: AbortSignal }, run: () => Promise<T>) => Promise<T>
}

/** The part of a `BroadcastChannel` that the client calls. */
export interface Channel {
  onmessage: ((event: { readonly data: unknown }) => void) | null
  readonly postMessage: (message: unknown) => void
}

/** The APIs of browsers for which this package has no types. */
interface Page {
  readonly document: { readonly hidden: boolean }
  readonly location: { readonly origin: string }
  readonly navigator: { readonly locks?: Locks }
  readonly BroadcastChannel: new (name: string) => Channel
  readonly addEventListener: (type: string, listener: (event: { readonly persisted?: boolean }) => void) => void
}

/**
 * Finds what the platform offers. Clients share a session only inside a browser: a server process
 * may have one client for each of its users.
 */
export const findEnvironment = (): Environment => {
  // The global object of a browser.
  const page = 'document' in globalThis ? (globalThis as unknown as Page) : undefined
  const Channel = page?.BroadcastChannel
  const retries = new Set<() => void>()
  const resume = () => {
    for (const retry of retries) retry()
  }
  page?.addEventListener('online', resume)
  page?.addEventListener('visibilitychange', () => page.document.hidden || resume())
  return {
    now: Date.now,
    monotonicMs: () => performance.now(),
    random: Math.random,
    startTimer: (delayMs, callback, isBackground) => {
      // A timer with a delay above 2 ** 31 - 1 runs immediately.
      const timer = setTimeout(callback, Math.min(delayMs, 2e9))
      // Browsers return a number.
      if (isBackground) timer.unref?.()
      return () => clearTimeout(timer)
    },
    retries,
    locks: page?.navigator.locks,
    origin: page?.location.origin,
    openChannel: Channel && ((name) => new Channel(name)),
    onMissedChange: (callback) => {
      if (!Channel) page?.addEventListener('storage', callback)
      // A page in the back/forward cache receives nothing.
      page?.addEventListener('pageshow', ({ persisted }) => persisted && callback())
    },
  }
}
