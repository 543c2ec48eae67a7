import type { SessionState } from './session-state.js'
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
  /**
   * The global object of a page. Absent elsewhere: clients share a session only inside a browser,
   * because a server process may have one client for each of its users.
   */
  readonly page?: Page | undefined
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
  onmessage: ((event: { readonly data: SessionState }) => void) | null
  readonly postMessage: (message: unknown) => void
  /** Lets the process end. Only Node has this method. */
  readonly unref?: () => void
}

/** The APIs of browsers for which this package has no types. Browsers before 2022 lack some. */
export interface Page {
  readonly location: { readonly origin: string }
  readonly navigator: { readonly locks?: Locks | undefined; readonly onLine?: boolean }
  readonly BroadcastChannel?: (new (name: string) => Channel) | undefined
  readonly addEventListener: (
    type: string,
    listener: (event: { readonly persisted?: boolean }) => void,
    options?: { readonly signal: AbortSignal },
  ) => void
}

/** Finds what the platform offers. */
export const findEnvironment = (): Environment => ({
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
  // The global object of a browser. Some libraries add a document without one to other platforms.
  page: (globalThis as { document?: { defaultView?: Page } }).document?.defaultView,
})
