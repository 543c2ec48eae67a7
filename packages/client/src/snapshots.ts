import type { AuthUser } from './session-state.js'

/** What an application shows of the session. */
export interface AuthSnapshot {
  /** `loading` until the client knows whether a session from before the page load exists. */
  readonly status: 'loading' | 'authenticated' | 'unauthenticated'
  /** The user, if `status` is `authenticated`. */
  readonly user?: AuthUser
}

/** Creates the snapshot of a client, and the list of who follows it. */
export const createSnapshots = () => {
  const listeners = new Set<() => void>()
  let snapshot: AuthSnapshot = { status: 'loading' }

  return {
    /** Ends the status `loading`. */
    publish: (user: AuthUser | undefined): void => {
      const next: AuthSnapshot = user ? { status: 'authenticated', user } : { status: 'unauthenticated' }
      if (JSON.stringify(next) === JSON.stringify(snapshot)) return
      snapshot = next
      // An error of a listener is the application's, and must not end the call that changed the state.
      for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener())
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: (): AuthSnapshot => snapshot,
    isLoading: (): boolean => snapshot.status === 'loading',
  }
}
