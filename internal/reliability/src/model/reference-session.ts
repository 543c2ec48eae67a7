/**
 * The promises of the service about one session, written a second time and as simply as possible:
 * without hashes, salts or storage. Instants are milliseconds since 1970.
 */
export const modelPolicy = {
  accessTokenLifetimeSeconds: 60,
  sessionIdleTimeoutSeconds: 300,
  sessionAbsoluteTimeoutSeconds: 400,
  refreshGraceSeconds: 30,
} as const

const idleMs = modelPolicy.sessionIdleTimeoutSeconds * 1_000
const maxMs = modelPolicy.sessionAbsoluteTimeoutSeconds * 1_000
/** How many tokens a session replaces within one grace window. Then it keeps its current token. */
const mostReplaced = 32

/** A user as the service sees them. `undefined` stands for a user who was deleted. */
export interface ModelUser {
  readonly version: number
  readonly isDisabled: boolean
}

/** An instant and a user that an operation may have read. */
export interface Reading {
  readonly now: number
  readonly user: ModelUser | undefined
}

/** One session of the model. */
export interface ModelSession {
  /**
   * Its refresh tokens, the first of them from the login. `undefined` stands for a token that no
   * client has received yet.
   */
  readonly refreshTokens: readonly (string | undefined)[]
  /** When each token but the current one was replaced. */
  readonly replacedAt: readonly number[]
  /**
   * The index of the oldest token that is remembered. A rotation forgets all tokens before the
   * oldest one in its grace window.
   */
  readonly oldest: number
  readonly idleEnd: number
  readonly absoluteEnd: number
  readonly version: number
  /** How long a replaced token is valid. 0 stands for not at all. */
  readonly graceMs: number
  readonly isEnded: boolean
}

/** The outcome of a refresh. */
export type ModelRefresh =
  | { readonly kind: 'refused' }
  /** Refused, and the session ends. */
  | { readonly kind: 'fatal' }
  | { readonly kind: 'repeated'; readonly generation: number; readonly exp: number }
  | { readonly kind: 'rotated'; readonly session: ModelSession; readonly generation: number; readonly exp: number }

/** Opens a session. */
export const openModelSession = (now: number, version: number, graceMs: number): ModelSession => ({
  refreshTokens: [undefined],
  replacedAt: [],
  oldest: 0,
  idleEnd: Math.min(now + idleMs, now + maxMs),
  absoluteEnd: now + maxMs,
  version,
  graceMs,
  isEnded: false,
})

/** Returns when the session expires. */
export const endOf = ({ idleEnd, absoluteEnd }: ModelSession): number => Math.min(idleEnd, absoluteEnd)

/** Returns whether the session has neither ended nor expired. */
export const isActive = (session: ModelSession, now: number): boolean => !session.isEnded && now < endOf(session)

/** Returns the `exp` of an access token that is issued now, in seconds. */
export const expOf = (session: ModelSession, now: number): number =>
  Math.floor(Math.min(now + modelPolicy.accessTokenLifetimeSeconds * 1_000, endOf(session)) / 1_000)

/** Returns whether the session may continue for its user. */
export const mayContinue = ({ version }: ModelSession, user: ModelUser | undefined): boolean =>
  user !== undefined && !user.isDisabled && user.version === version

/** Ends the session. */
export const endModelSession = (session: ModelSession): ModelSession => ({ ...session, isEnded: true })

/** Refreshes the session with a refresh token that it once gave. */
export const refreshModelSession = (session: ModelSession, token: string, { now, user }: Reading): ModelRefresh => {
  if (!isActive(session, now)) return { kind: 'refused' }
  if (!mayContinue(session, user)) return { kind: 'fatal' }
  const generation = session.refreshTokens.indexOf(token)
  const current = session.replacedAt.length
  const isCurrent = generation === current
  if (isCurrent && current - findOldest(session, now) < mostReplaced) return rotate(session, now)
  if (!isCurrent && (generation < session.oldest || !isWithinGrace(session, generation, now))) return { kind: 'fatal' }
  return isWorthIssuing(session, now)
    ? { kind: 'repeated', generation: current, exp: expOf(session, now) }
    : { kind: 'refused' }
}

// The difference may be negative: the clock of another instance may be ahead.
const isWithinGrace = ({ replacedAt, graceMs }: ModelSession, generation: number, now: number): boolean =>
  graceMs > 0 && Math.abs(now - (replacedAt[generation] ?? Number.NEGATIVE_INFINITY)) <= graceMs

// Returns the oldest remembered token that is still within its grace window, or the current token.
const findOldest = (session: ModelSession, now: number): number => {
  const found = session.replacedAt.findIndex(
    (_, generation) => generation >= session.oldest && isWithinGrace(session, generation, now),
  )
  return found === -1 ? session.replacedAt.length : found
}

const rotate = (session: ModelSession, now: number): ModelRefresh => {
  const next = {
    ...session,
    oldest: findOldest(session, now),
    refreshTokens: [...session.refreshTokens, undefined],
    replacedAt: [...session.replacedAt, now],
    idleEnd: Math.min(now + idleMs, session.absoluteEnd),
  }
  if (!isWorthIssuing(next, now)) return { kind: 'refused' }
  return { kind: 'rotated', session: next, generation: next.replacedAt.length, exp: expOf(next, now) }
}

/**
 * Returns whether an access token that is issued now would be valid at all: `exp` is in whole
 * seconds.
 */
export const isWorthIssuing = (session: ModelSession, now: number): boolean =>
  expOf(session, now) > Math.floor(now / 1_000)
