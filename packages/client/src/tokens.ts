import { AuthClientError } from './auth-client-error.js'
import type { ClientContext } from './client-context.js'
import { createRetry } from './retry.js'
import type { Session, SessionState } from './session-state.js'

export const createTokens = (context: ClientContext) => {
  const { shared, routes, lock, now } = context
  const runWithRetries = createRetry(context, 20_000)
  let inFlight: Promise<void> | undefined

  /**
   * Returns whether the access token expires within a part of the margin: a minute, or a quarter of
   * its lifetime if that is less. Calls start a refresh in the margin. In its last part, the calls
   * wait for the new token, because a request needs time to arrive. An unknown lifetime never ends.
   */
  const expiresWithin = (part = 1 / 6): boolean => {
    const lifetimeMs = (shared.get().session?.expiresInSeconds ?? Infinity) * 1_000
    // If lifetime and age are both unknown, their difference is not a number.
    return !(lifetimeMs - shared.ageMs() > Math.min(60_000, lifetimeMs / 4) * part)
  }

  /** Sends the current refresh token, unless another tab has replaced it. */
  const exchange = async (before: SessionState): Promise<void> => {
    if (shared.get() === before) await shared.sync()
    const base = shared.get()
    if (base.login !== before.login || (base !== before && !(base.session && expiresWithin()))) return
    const sentAt = now()
    const session = await routes.refresh(base.session).catch(async (failure) => {
      // Another tab may have replaced the token without a message.
      await shared.syncStore()
      if (shared.get() !== base) return
      // The session has ended, or needs a key that this client does not have.
      if (/invalid_(refresh|dpop)/.test(failure.code)) await shared.end()
      throw failure
    })
    // A response that is late must not replace a newer state.
    if (session && shared.get() === base) await shared.start(session, sentAt, true)
  }

  /** Refreshes, or uses newer tokens of another tab. */
  const refresh = (): Promise<void> => {
    const before = shared.get()
    inFlight ??= runWithRetries(() => lock(() => exchange(before))).finally(() => {
      inFlight = undefined
    })
    return inFlight
  }

  return {
    /**
     * Resolves to a session with a valid access token, `undefined` without one. Refreshes ahead of
     * expiry, and if the access token is the one that a server refused.
     */
    getSession: async (refusedToken?: string): Promise<Session | undefined> => {
      const { session } = shared.get()
      const isNeeded = session?.accessToken === refusedToken || expiresWithin()
      if (!session || !(isNeeded || expiresWithin(1))) return session
      const refreshed = refresh().then(() => requireSameUser(shared.get().session, session))
      if (isNeeded) return refreshed
      // A failure does not matter yet.
      refreshed.catch(() => {})
      return session
    },
    refresh,
  }
}

/** The access tokens of this tab. */
export type Tokens = ReturnType<typeof createTokens>

/**
 * Returns the current session for a call that started with an earlier one. A call of one user never
 * continues as another.
 */
export const requireSameUser = (session: Session | undefined, { user }: Session): Session => {
  if (session?.user.id !== user.id) throw new AuthClientError('session_changed')
  return session
}
