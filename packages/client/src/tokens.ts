import { AuthClientError } from './auth-client-error.js'
import { type AuthRoutes, isSessionEnd } from './auth-routes.js'
import type { Environment } from './environment.js'
import type { RunLocked } from './lock.js'
import { createRetry } from './retry.js'
import type { Session, SessionState } from './session-state.js'
import type { SharedState } from './shared-state.js'

/** The access tokens of this tab. */
export interface Tokens {
  /** Resolves to a session with a valid access token, `undefined` without one. Refreshes ahead of expiry. */
  readonly getSession: () => Promise<Session | undefined>
  /** Replaces an access token that the server refused, or resolves to its successor. */
  readonly replaceToken: (refused: Session) => Promise<Session>
  /** Refreshes, or adopts newer tokens of another tab. */
  readonly refresh: () => Promise<void>
  /** Drops the refresh in flight. */
  readonly dropRefresh: () => void
}

interface TokensOptions {
  readonly shared: SharedState
  readonly routes: AuthRoutes
  readonly runLocked: RunLocked
  readonly environment: Environment
}

// Before the expiry of a token, calls start a refresh: a minute before, or a quarter of its lifetime if that is less. In the last part
// of this time, the calls wait for the new token, because a request needs time to arrive.
const marginMs = 60_000
const marginPart = 1 / 4
const lastPart = 1 / 6

// How long a caller waits for the start of another attempt.
const retryLimitMs = 20_000

export const createTokens = ({ shared, routes, runLocked, environment }: TokensOptions): Tokens => {
  const runWithRetries = createRetry(environment, retryLimitMs)
  let inFlight: Promise<void> | undefined
  let controller: AbortController | undefined

  /** Returns the time left of the current token, in margins. Without a known lifetime, only the server can tell. */
  const countMarginsLeft = (): number => {
    const { expiresInSeconds = Infinity } = shared.get().session ?? {}
    const lifetimeMs = expiresInSeconds * 1_000
    return (lifetimeMs - shared.ageMs()) / Math.min(marginMs, lifetimeMs * marginPart)
  }

  /** Sends the current refresh token, unless another tab has replaced it. */
  const exchange = async (before: SessionState): Promise<void> => {
    await shared.syncStore()
    if (shared.get() === before) await shared.askTabs()
    const base = shared.get()
    if (base.epoch !== before.epoch) return
    if (base !== before && (!base.session || countMarginsLeft() > lastPart)) return
    const sentAt = environment.now()
    try {
      controller = new AbortController()
      const session = await routes.refresh(base.session?.refreshToken, controller)
      // A response that is late must not replace a newer state.
      if (shared.get() !== base) return
      const isSameUser = base.session?.user.id === session.user.id
      await (isSameUser
        ? shared.replace({ ...base, turn: base.turn + 1, at: sentAt, session })
        : shared.start(session, sentAt))
    } catch (failure) {
      // Another tab may have replaced the token without a message.
      await shared.syncStore()
      if (shared.get() !== base) return
      if (isSessionEnd(failure)) await shared.end()
      throw failure
    }
  }

  const refresh = (): Promise<void> => {
    if (inFlight) return inFlight
    const before = shared.get()
    const started = runWithRetries(() => runLocked(() => exchange(before))).finally(() => {
      if (inFlight === started) inFlight = undefined
    })
    inFlight = started
    return started
  }

  /** Resolves to the session after a refresh. A call of one user never continues as another. */
  const refreshSession = async (session: Session): Promise<Session> => {
    await refresh()
    return requireSameUser(session)
  }

  const requireSameUser = ({ user }: Session): Session => {
    const { session } = shared.get()
    if (session?.user.id !== user.id) throw new AuthClientError('session_changed')
    return session
  }

  return {
    getSession: async () => {
      const { session } = shared.get()
      const left = countMarginsLeft()
      if (!session || left > 1) return session
      const refreshed = refreshSession(session)
      if (!(left > lastPart)) return refreshed
      // A failure does not matter yet.
      refreshed.catch(() => {})
      return session
    },
    replaceToken: async (refused) => {
      const session = requireSameUser(refused)
      return session.accessToken === refused.accessToken ? refreshSession(refused) : session
    },
    refresh,
    dropRefresh: () => {
      controller?.abort()
      inFlight = undefined
    },
  }
}
