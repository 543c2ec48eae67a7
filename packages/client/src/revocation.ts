import { isUnauthorized } from './auth-client-error.js'
import type { AuthRoutes } from './auth-routes.js'
import type { Environment } from './environment.js'
import type { RunLocked } from './lock.js'
import type { UseLogoutNote } from './logout-note.js'
import { createRetry } from './retry.js'
import type { Session } from './session-state.js'
import type { SharedState } from './shared-state.js'

/**
 * Revokes a session: one that this tab knows, or that of the cookie. Resolves after the first
 * attempt and never rejects. Further attempts follow in the background until the server has
 * responded. With `isLogout`, the store has a note until then.
 */
export type Revoke = (known: Session | undefined, isLogout?: boolean) => Promise<void>

export const createRevocation = (
  shared: SharedState,
  routes: AuthRoutes,
  runLocked: RunLocked,
  environment: Environment,
  useNote: UseLogoutNote,
  usesCookie: boolean,
): Revoke => {
  const revoke = async (known: Session | undefined): Promise<void> => {
    // The cookie may belong to a later login, and not to the session that ends.
    const isOwner = usesCookie && !shared.get().session
    if (known) {
      try {
        await routes.revoke(known, isOwner)
        return
      } catch (failure) {
        if (!isUnauthorized(failure)) throw failure
      }
    }
    // The access token has expired.
    if (known?.refreshToken || isOwner) await routes.revoke(await routes.refresh(known), isOwner)
  }

  return async (known, isLogout) => {
    if (isLogout) await useNote('set')
    await new Promise<void>((resolve) => {
      createRetry(environment)(() => runLocked(() => revoke(known)).finally(resolve))
        .catch(() => {})
        .then(() => {
          if (isLogout && !shared.get().session) useNote('clear')
        })
    })
  }
}
