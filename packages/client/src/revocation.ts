import { type AuthRoutes, isUnauthorized } from './auth-routes.js'
import type { Environment } from './environment.js'
import type { RunLocked } from './lock.js'
import { createRetry } from './retry.js'
import type { Session } from './session-state.js'
import type { SharedState } from './shared-state.js'

interface RevocationOptions {
  readonly routes: AuthRoutes
  readonly runLocked: RunLocked
  readonly environment: Environment
  readonly shared: SharedState
  readonly usesCookie: boolean
}

/**
 * Creates the function that revokes a session: one that this tab knows, or that of the cookie. The function resolves after the first
 * attempt and never rejects. Further attempts follow in the background until the server has responded. `onDone` is called at the end.
 */
export const createRevocation = ({ shared, routes, runLocked, environment, usesCookie }: RevocationOptions) => {
  const revoke = async (known: Session | undefined): Promise<unknown> => {
    // The cookie may belong to a later login, and not to the session that ends.
    const isOwner = usesCookie && !shared.get().session
    if (known) {
      try {
        return await routes.revoke(known.accessToken, isOwner)
      } catch (failure) {
        if (!isUnauthorized(failure)) throw failure
      }
    }
    // The access token has expired.
    if (!known?.refreshToken && !isOwner) return
    const { accessToken } = await routes.refresh(known?.refreshToken)
    return routes.revoke(accessToken, isOwner)
  }

  return (known: Session | undefined, onDone: () => void = () => {}): Promise<void> =>
    new Promise((resolve) => {
      const attempt = () => runLocked(() => revoke(known)).finally(resolve)
      createRetry(environment)(attempt)
        .catch(() => {})
        .then(onDone)
    })
}
