import { AuthClientError } from './auth-client-error.js'
import type { RunLocked } from './lock.js'
import type { UseLogoutNote } from './logout-note.js'
import type { Revoke } from './revocation.js'
import type { AuthUser, Session } from './session-state.js'
import type { SharedState } from './shared-state.js'

/** The changes of the user that this tab starts. The last one wins. */
export interface Logins {
  /** Starts the session that `receive` resolves to. */
  readonly startSession: (receive: () => Promise<Session>) => Promise<AuthUser>
  readonly logout: () => Promise<void>
}

export const createLogins = (
  shared: SharedState,
  load: () => Promise<void>,
  revoke: Revoke,
  useNote: UseLogoutNote,
  runLocked: RunLocked,
  now: () => number,
  usesCookie: boolean,
): Logins => {
  let changes = 0

  return {
    startSession: (receive) => {
      const change = ++changes
      return runLocked(async () => {
        const sentAt = now()
        const session = await receive()
        if (change !== changes) {
          revoke(session)
          throw new AuthClientError('session_changed')
        }
        await shared.start(session, sentAt)
        await useNote('clear')
        return session.user
      })
    },
    logout: async () => {
      changes++
      const isUnknown = usesCookie && shared.isLoading()
      if (!usesCookie) await load()
      await shared.syncStore()
      const { session } = shared.get()
      await shared.end()
      if (session || isUnknown) await revoke(session, true)
    },
  }
}
