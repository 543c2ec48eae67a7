import { AuthClientError } from './auth-client-error.js'
import type { AuthRoutes, Credentials } from './auth-routes.js'
import type { RunLocked } from './lock.js'
import type { UseLogoutNote } from './logout-note.js'
import type { Revoke } from './revocation.js'
import type { AuthUser, Session } from './session-state.js'
import type { SharedState } from './shared-state.js'

/** Creates the changes of the user that this tab starts. The last one wins. */
export const createLogins = (
  shared: SharedState,
  routes: AuthRoutes,
  load: () => Promise<void>,
  revoke: Revoke,
  useNote: UseLogoutNote,
  runLocked: RunLocked,
  now: () => number,
  usesCookie: boolean,
) => {
  let changes = 0

  /** Starts the session that `receive` resolves to. */
  const startSession = (receive: () => Promise<Session>): Promise<AuthUser> => {
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
  }

  return {
    login: (credentials: Credentials) => startSession(() => routes.login(credentials)),
    loginWithResponse: (response: Response) => startSession(() => routes.readSession(response)),
    logout: async (): Promise<void> => {
      changes++
      const isUnknown = shared.isLoading()
      if (!usesCookie) await load()
      await shared.syncStore()
      const { session } = shared.get()
      await shared.end()
      if (session || isUnknown) await revoke(session, true)
    },
  }
}
