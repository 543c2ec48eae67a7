/**
 * What the service promises of one session, written down once more and as simply as possible: no hashes, no salts, no
 * storage. Instants are milliseconds since 1970.
 */
export const modelPolicy = {
  accessTokenLifetimeSeconds: 60,
  sessionIdleTimeoutSeconds: 300,
  sessionAbsoluteTimeoutSeconds: 400,
  refreshGraceSeconds: 30,
} as const

const idleMs = modelPolicy.sessionIdleTimeoutSeconds * 1_000
const maxMs = modelPolicy.sessionAbsoluteTimeoutSeconds * 1_000
const mostRecent = 8

/** A user as the service can see them; `undefined` is one who is gone. */
export interface ModelUser {
  readonly version: number
  readonly isDisabled: boolean
}

/** An instant and a user, each as an operation may have read it. */
export interface Reading {
  readonly now: number
  readonly user: ModelUser | undefined
}

export interface ModelSession {
  /** Its refresh tokens, the login's first; `undefined` is one that nobody outside has seen yet. */
  readonly refreshTokens: readonly (string | undefined)[]
  /** When each of them was replaced: one fewer. */
  readonly replacedAt: readonly number[]
  /** The first of them that is remembered: each rotation forgets all before the oldest that is within its grace window. */
  readonly oldest: number
  readonly idleEnd: number
  readonly absoluteEnd: number
  readonly version: number
  /** How long a replaced token is good; 0 is never. */
  readonly graceMs: number
  readonly isEnded: boolean
}

/** What a refresh comes to. */
export type ModelRefresh =
  | { readonly kind: 'refused' }
  /** Refused, and the session ends. */
  | { readonly kind: 'fatal' }
  | { readonly kind: 'repeated'; readonly generation: number; readonly exp: number }
  | { readonly kind: 'rotated'; readonly session: ModelSession; readonly generation: number; readonly exp: number }

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

/** When the session is over if nothing happens to it. */
export const endOf = ({ idleEnd, absoluteEnd }: ModelSession): number => Math.min(idleEnd, absoluteEnd)

export const isLive = (session: ModelSession, now: number): boolean => !session.isEnded && now < endOf(session)

/** The `exp` of an access token issued now, in seconds. */
export const expOf = (session: ModelSession, now: number): number =>
  Math.floor(Math.min(now + modelPolicy.accessTokenLifetimeSeconds * 1_000, endOf(session)) / 1_000)

/** Whether the session can go on for its user. */
export const canGoOn = ({ version }: ModelSession, user: ModelUser | undefined): boolean =>
  user !== undefined && !user.isDisabled && user.version === version

export const endModelSession = (session: ModelSession): ModelSession => ({ ...session, isEnded: true })

export const refreshModelSession = (session: ModelSession, token: string, { now, user }: Reading): ModelRefresh => {
  if (!isLive(session, now)) return { kind: 'refused' }
  if (!canGoOn(session, user)) return { kind: 'fatal' }
  const generation = session.refreshTokens.indexOf(token)
  const current = session.replacedAt.length
  if (generation === current) return rotate(session, now)
  if (generation < session.oldest || !isWithinGrace(session, generation, now)) return { kind: 'fatal' }
  return isWorthIssuing(session, now)
    ? { kind: 'repeated', generation: current, exp: expOf(session, now) }
    : { kind: 'refused' }
}

/** The distance counts both ways: the clock of another instance may be ahead. */
const isWithinGrace = ({ replacedAt, graceMs }: ModelSession, generation: number, now: number): boolean =>
  graceMs > 0 && Math.abs(now - (replacedAt[generation] ?? Number.NEGATIVE_INFINITY)) <= graceMs

const rotate = (session: ModelSession, now: number): ModelRefresh => {
  const replaced = session.replacedAt.length
  const firstGood = session.replacedAt.findIndex(
    (_, generation) => generation >= session.oldest && isWithinGrace(session, generation, now),
  )
  const next = {
    ...session,
    oldest: Math.max(firstGood === -1 ? replaced : firstGood, replaced + 1 - mostRecent),
    refreshTokens: [...session.refreshTokens, undefined],
    replacedAt: [...session.replacedAt, now],
    idleEnd: Math.min(now + idleMs, session.absoluteEnd),
  }
  if (!isWorthIssuing(next, now)) return { kind: 'refused' }
  return { kind: 'rotated', session: next, generation: next.replacedAt.length, exp: expOf(next, now) }
}

/** Whether an access token issued now would live at all: `exp` counts whole seconds. */
export const isWorthIssuing = (session: ModelSession, now: number): boolean =>
  expOf(session, now) > Math.floor(now / 1_000)
