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

// Within `earlyMs` of the expiry, calls start a refresh and use the old token. Within `lateMs`, they wait for the new one.
const earlyMs = 60_000
const earlyPart = 1 / 4
const latePart = 1 / 6

// How long a caller waits for the start of another attempt.
const retryLimitMs = 20_000

export const createTokens = ({ shared, routes, runLocked, environment }: TokensOptions): Tokens => {
  const retry = createRetry(environment, retryLimitMs)
  let inFlight: { readonly result: Promise<void>; readonly controller: AbortController } | undefined

  /** Returns how urgent a refresh is. Without a known lifetime, only the server can tell. */
  const findUrgency = ({ expiresInSeconds = Infinity }: Session): 'none' | 'early' | 'late' => {
    const lifetimeMs = expiresInSeconds * 1_000
    const leftMs = lifetimeMs - shared.ageMs()
    const marginMs = Math.min(earlyMs, lifetimeMs * earlyPart)
    if (leftMs > marginMs) return 'none'
    return leftMs > marginMs * latePart ? 'early' : 'late'
  }

  const isUsable = ({ session }: SessionState): boolean => session !== undefined && findUrgency(session) !== 'late'

  /** Sends the current refresh token, unless another tab has replaced it. */
  const exchange = async (before: SessionState, signal: AbortSignal): Promise<void> => {
    await shared.readStore()
    if (shared.get() === before) await shared.askTabs()
    const base = shared.get()
    if (base.epoch !== before.epoch || (base !== before && (isUsable(base) || !base.session))) return
    const sentAt = environment.now()
    try {
      const session = await routes.refresh(base.session?.refreshToken, signal)
      // A response that is late must not replace a newer state.
      if (shared.get() !== base) return
      const isSameUser = base.session?.user.id === session.user.id
      await (isSameUser
        ? shared.replace({ ...base, turn: base.turn + 1, at: sentAt, session })
        : shared.start(session, sentAt))
    } catch (failure) {
      const isEnd = failure instanceof AuthClientError && isSessionEnd(failure)
      // Another tab may have replaced the token without a message.
      if (isEnd) await shared.readStore()
      if (shared.get() !== base) return
      if (isEnd) await shared.end()
      throw failure
    }
  }

  const refresh = (): Promise<void> => {
    if (inFlight) return inFlight.result
    const controller = new AbortController()
    const before = shared.get()
    const result = runLocked(() => retry.run(() => exchange(before, controller.signal)))
    const started = { result, controller }
    inFlight = started
    const forget = () => {
      if (inFlight === started) inFlight = undefined
    }
    result.then(forget, forget)
    return result
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
      const urgency = session && findUrgency(session)
      if (session && urgency === 'late') return refreshSession(session)
      // Its failure does not matter yet.
      if (urgency === 'early') refresh().catch(() => {})
      return session
    },
    replaceToken: async (refused) => {
      const session = requireSameUser(refused)
      return session.accessToken === refused.accessToken ? refreshSession(refused) : session
    },
    refresh,
    dropRefresh: () => {
      inFlight?.controller.abort()
      inFlight = undefined
    },
  }
}
