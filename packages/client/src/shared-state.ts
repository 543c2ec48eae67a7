import type { Environment } from './environment.js'
import { endedRefreshNumber, type Session, type SessionState } from './session-state.js'
import { createSnapshots, type Snapshots } from './snapshots.js'
import { createStoreSync } from './store-sync.js'
import { createTabs } from './tabs.js'
import type { TokenStore } from './token-stores.js'

/** The state of the session in this tab, which follows the other tabs and the store. */
export interface SharedState extends Omit<Snapshots, 'publish'> {
  readonly get: () => SessionState
  /** Returns the milliseconds since the request for the current tokens. */
  readonly ageMs: () => number
  /** Starts the session of a login, or continues the session of the same user after a refresh. */
  readonly start: (session: Session, sentAt: number, isRefresh?: boolean) => Promise<void>
  /** Ends the session, unless a later login replaced it. */
  readonly end: () => Promise<void>
  /** Loads a newer state from the store, or stores the state. */
  readonly syncStore: () => Promise<void>
  /** Loads a newer state from the store, or else from another tab. */
  readonly sync: () => Promise<void>
  /** Ends the status `loading`. */
  readonly endLoading: () => void
}

/**
 * Creates the state of a tab.
 *
 * @param store absent if nothing of the session may be stored
 * @param onLoginReplaced called when a new state has no session, or belongs to a different login from the previous state
 */
export const createSharedState = (
  name: string,
  environment: Environment,
  store: TokenStore | undefined,
  onLoginReplaced: () => void,
): SharedState => {
  const { now, monotonicMs } = environment
  const { publish, ...snapshots } = createSnapshots()
  let state: SessionState = { loginNumber: 0, refreshNumber: 0, sentAt: 0 }
  let sentAtMonotonicMs = 0

  const get = () => state
  const setState = (next: SessionState): void => {
    if (next.loginNumber !== state.loginNumber || !next.session) onLoginReplaced()
    state = next
    // A clock that was set back hides the age of the tokens.
    sentAtMonotonicMs = now() < next.sentAt ? -Infinity : monotonicMs() - (now() - next.sentAt)
    endLoading()
  }
  const endLoading = () => publish(state.session?.user)
  const syncStore = createStoreSync(name, store, get, setState, () => end())
  const tabs = createTabs(name, environment, get, (newer) => {
    setState(newer)
    syncStore()
  })
  /** Replaces the state, stores it and tells all tabs. */
  const replace = (next: SessionState): Promise<void> => {
    setState(next)
    tabs.tell()
    return syncStore()
  }
  const end = () => replace({ ...state, refreshNumber: endedRefreshNumber, sentAt: now(), session: undefined })

  return {
    ...snapshots,
    get,
    ageMs: () => Math.max(now() - state.sentAt, monotonicMs() - sentAtMonotonicMs),
    start: (session, sentAt, isRefresh) =>
      replace(
        isRefresh && state.session?.user.id === session.user.id
          ? { ...state, refreshNumber: state.refreshNumber + 1, sentAt, session }
          : { loginNumber: Math.max(state.loginNumber + 1, sentAt), refreshNumber: 0, sentAt, session },
      ),
    end,
    syncStore,
    sync: async () => {
      const before = state
      await syncStore()
      if (state === before) await tabs.ask()
    },
    endLoading,
  }
}
