import type { ClientSettings } from './environment.js'
import type { AuthUser, Session, SessionState } from './session-state.js'
import { createStoreSync } from './store-sync.js'
import { createTabs } from './tabs.js'

/**
 * What an application shows of the session. `Profile` is what the option `profile` of your server
 * returns.
 */
export interface AuthSnapshot<Profile extends object = object> {
  /**
   * `loading` until the client knows whether a session from before the page load exists, or the
   * server refuses to say, for example because its `cookies` do not allow the page.
   */
  readonly status: 'loading' | 'authenticated' | 'unauthenticated'
  /** The user, if `status` is `authenticated`. */
  readonly user?: (AuthUser & Readonly<Profile>) | undefined
}

/** The state of the session in this tab, which follows the other tabs and the store. */
export const createSharedState = (settings: ClientSettings) => {
  const { now, monotonicMs } = settings
  const listeners = new Set<() => void>()
  let snapshot: AuthSnapshot = { status: 'loading' }
  const unknown: SessionState = { login: 0, refreshes: 0, sentAt: 0 }
  let state = unknown
  let sentAtMonotonicMs = 0

  const get = () => {
    // The clock was set back: the number of a login that ended says no longer which one is newer.
    if (!state.session && now() - state.sentAt < ageMs() - 1_000) state = unknown
    return state
  }
  /** Returns the milliseconds since the request for the current tokens. */
  const ageMs = () => Math.max(now() - state.sentAt, monotonicMs() - sentAtMonotonicMs)
  /** Ends the status `loading`, and calls the listeners after a change. */
  const publish = (): void => {
    const user = state.session?.user
    const next: AuthSnapshot = { status: user ? 'authenticated' : 'unauthenticated', user }
    if (JSON.stringify(next) === JSON.stringify(snapshot)) return
    snapshot = next
    // An error of a listener is the application's, and must not end the call that changed the
    // state.
    for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener())
  }
  const setState = (next: SessionState): void => {
    state = next
    // A clock that was set back hides the age of the tokens.
    sentAtMonotonicMs = now() < next.sentAt ? -Infinity : monotonicMs() - (now() - next.sentAt)
    publish()
  }
  /** Loads a newer state from the store, or stores the state. */
  const syncStore = createStoreSync(settings, get, setState, () => end())
  const tabs = createTabs(settings, get, (newer) => {
    setState(newer)
    syncStore()
  })
  /** Replaces the state, stores it and tells all tabs. */
  const replace = (next: SessionState): Promise<void> => {
    setState(next)
    tabs.tell()
    return syncStore()
  }
  /**
   * Ends the session, unless a later login replaced it. Without a known login, ends each earlier
   * one that the store may have.
   */
  const end = (): Promise<void> => replace({ login: state.login || now(), refreshes: 1e9, sentAt: now() })

  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    publish,
    get,
    ageMs,
    /** Starts the session of a login, or continues the session of the same user after a refresh. */
    start: (session: Session, sentAt: number, isRefresh?: boolean) =>
      replace(
        isRefresh && state.session?.user.id === session.user.id
          ? { ...state, refreshes: state.refreshes + 1, sentAt, session }
          : { login: Math.max(state.login + 1, sentAt), refreshes: 0, sentAt, session },
      ),
    end,
    syncStore,
    ask: tabs.ask,
    /** Loads a newer state from the store, or else from another tab. */
    sync: (): Promise<unknown> => {
      const before = state
      return syncStore().then(() => state === before && tabs.ask())
    },
  }
}

export type SharedState = ReturnType<typeof createSharedState>
