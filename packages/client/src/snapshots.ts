import type { AuthUser } from './session-state.js'

/** What an application shows of the session. */
export interface AuthSnapshot {
  /** `loading` until the client knows whether a session from before the page load exists. */
  readonly status: 'loading' | 'authenticated' | 'unauthenticated'
  /** The user, if `status` is `authenticated`. */
  readonly user?: AuthUser
}

/** The snapshot of a client, and who follows it. */
export interface Snapshots {
  /** Ends the status `loading`. */
  readonly publish: (user: AuthUser | undefined) => void
  readonly subscribe: (listener: () => void) => () => void
  readonly getSnapshot: () => AuthSnapshot
  readonly isLoading: () => boolean
}

export const createSnapshots = (): Snapshots => {
  const listeners = new Set<() => void>()
  let snapshot: AuthSnapshot = { status: 'loading' }

  return {
    publish: (user) => {
      const next: AuthSnapshot = user ? { status: 'authenticated', user } : { status: 'unauthenticated' }
      if (JSON.stringify(next) === JSON.stringify(snapshot)) return
      snapshot = next
      // An error of a listener is the application's, and must not end the call that changed the state.
      for (const listener of listeners) queueMicrotask(() => listeners.has(listener) && listener())
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    isLoading: () => snapshot.status === 'loading',
  }
}
