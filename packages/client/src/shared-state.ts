import type { Environment } from './environment.js'
import {
  type AuthUser,
  endedTurn,
  formatState,
  isNewer,
  isState,
  parseState,
  type Session,
  type SessionState,
} from './session-state.js'
import type { TokenStore } from './token-stores.js'

/** What an application shows of the session. */
export interface AuthSnapshot {
  /** `loading` until the client knows whether a session from before the page load exists. */
  readonly status: 'loading' | 'authenticated' | 'unauthenticated'
  /** The user, if `status` is `authenticated`. */
  readonly user?: AuthUser
}

/** The state of the session in this tab, which follows the other tabs and the store. */
export interface SharedState {
  readonly get: () => SessionState
  /** Returns the milliseconds since the request for the current tokens. */
  readonly ageMs: () => number
  /** Replaces the state, stores it and tells all tabs. */
  readonly replace: (state: SessionState) => Promise<void>
  /** Starts the session of a login. */
  readonly start: (session: Session, at: number) => Promise<void>
  /** Ends the session, unless a later login replaced it. */
  readonly end: () => Promise<void>
  /** Adopts a newer state from the store, or stores the state. */
  readonly syncStore: () => Promise<void>
  /** Adopts a newer state from another tab. Waits for a response only briefly, since nobody may be listening. */
  readonly askTabs: () => Promise<void>
  /** Ends the status `loading`. */
  readonly finishLoading: () => void
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => AuthSnapshot
}

interface SharedStateOptions {
  readonly name: string
  readonly environment: Environment
  /** Absent if nothing of the session may be stored. */
  readonly store: TokenStore | undefined
  /** Called when a new state has no session, or belongs to a different login from the previous state. */
  readonly onLoginReplaced: () => void
}

const responseOfTabsMs = 50

export const createSharedState = ({ name, environment, store, onLoginReplaced }: SharedStateOptions): SharedState => {
  const { now, monotonicMs, startTimer } = environment
  const listeners = new Set<() => void>()
  let state: SessionState = { epoch: 0, turn: 0, at: 0 }
  let snapshot: AuthSnapshot = { status: 'loading' }
  let sentAtMonotonicMs = 0
  let stopAsking = () => {}
  let syncedState: SessionState | undefined
  let syncing = Promise.resolve()

  const adopt = (next: SessionState): void => {
    const { epoch } = state
    state = next
    // A clock that was set back hides the age of the tokens.
    sentAtMonotonicMs = now() < next.at ? -Infinity : monotonicMs() - (now() - next.at)
    if (next.epoch !== epoch || !next.session) onLoginReplaced()
    stopAsking()
    publish(next.session?.user)
  }

  const publish = (user: AuthUser | undefined): void => {
    const next: AuthSnapshot = user ? { status: 'authenticated', user } : { status: 'unauthenticated' }
    if (JSON.stringify(next) === JSON.stringify(snapshot)) return
    snapshot = next
    // An error of a listener is the application's, and must not end the call that changed the state.
    for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener())
  }

  // One after the other, so that a slow write never replaces a later one.
  const syncStore = (): Promise<void> => {
    syncing = syncing
      .then(async () => {
        if (!store) return
        const text = await store.get(name)
        const stored = parseState(text, name)
        const current = state
        if (stored && isNewer(stored, current)) {
          adopt(stored)
        } else if (syncedState === current && current.session && !stored) {
          // Another tab has logged out while this one received no messages. The text of another client says nothing.
          if (!text) adopt(toEnded(current))
        } else if (stored ? isNewer(current, stored) : current.session) {
          await (current.session ? store.set(formatState(current, name), name) : store.clear(name))
          syncedState = current
          return
        }
        syncedState = state
      })
      // Without the store, this tab works from its memory.
      .catch(() => {})
    return syncing
  }

  const channel = environment.openChannel?.(name)
  if (channel) {
    channel.onmessage = ({ data }) => {
      if (!isState(data)) return
      if (isNewer(data, state)) {
        adopt(data)
        syncStore()
      } else if (isNewer(state, data)) tellTabs()
    }
  }
  const tellTabs = () => channel?.postMessage(state)

  environment.onMissedChange(() => {
    syncStore()
    tellTabs()
  })

  const toEnded = ({ epoch }: SessionState): SessionState => ({ epoch, turn: endedTurn, at: now() })

  const replace = (next: SessionState): Promise<void> => {
    adopt(next)
    tellTabs()
    return syncStore()
  }

  return {
    get: () => state,
    ageMs: () => Math.max(now() - state.at, monotonicMs() - sentAtMonotonicMs),
    replace,
    start: (session, at) => replace({ epoch: Math.max(state.epoch + 1, at), turn: 0, at, session }),
    end: () => replace(toEnded(state)),
    syncStore,
    askTabs: () =>
      new Promise((resolve) => {
        if (!channel) return resolve()
        startTimer(responseOfTabsMs, resolve)
        stopAsking = resolve
        tellTabs()
      }),
    finishLoading: () => publish(state.session?.user),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
  }
}
