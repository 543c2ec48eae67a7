/**
 * What the service promises, written down once more and as simply as possible: no hashes, no salts, no storage. All times
 * are milliseconds.
 */
export const modelPolicy = {
  accessTokenSeconds: 60,
  sessionIdleSeconds: 300,
  sessionMaxSeconds: 1_000,
  refreshGraceSeconds: 30,
} as const

const accessMs = modelPolicy.accessTokenSeconds * 1_000
const idleMs = modelPolicy.sessionIdleSeconds * 1_000
const maxMs = modelPolicy.sessionMaxSeconds * 1_000
const graceMs = modelPolicy.refreshGraceSeconds * 1_000
const keptMs = accessMs + 24 * 3_600_000
const mostRecent = 8

export interface ModelUser {
  readonly id: number | string
  version: number
  isDisabled: boolean
  isGone: boolean
}

export interface ModelSession {
  readonly user: ModelUser
  readonly openedAt: number
  version: number
  idleEnd: number
  readonly absoluteEnd: number
  endedAt: number | undefined
  isPurged: boolean
  /** When each refresh token was replaced; the current one is the next after these. */
  readonly replacedAt: number[]
}

/** The place of a refresh token in the life of its session: 0 for the login's, one more for each rotation. */
export interface ModelRefreshToken {
  readonly session: ModelSession
  readonly generation: number
}

export interface ModelAccessToken {
  readonly session: ModelSession
  readonly exp: number
}

/** What a refresh must come to. */
export type ModelRefresh =
  | { readonly kind: 'refused' }
  | { readonly kind: 'repeated' | 'rotated'; readonly generation: number; readonly expiresInSeconds: number }

export class ReferenceModel {
  now: number
  readonly users: readonly ModelUser[]
  readonly sessions: ModelSession[] = []
  readonly refreshTokens: ModelRefreshToken[] = []
  readonly accessTokens: ModelAccessToken[] = []
  /** The events the host has heard, by type. */
  readonly heard = { session_created: 0, session_ended: 0, sessions_ended: 0 }

  constructor(now: number, userIds: readonly (number | string)[]) {
    this.now = now
    this.users = userIds.map((id) => ({ id, version: 1, isDisabled: false, isGone: false }))
  }

  logIn(user: ModelUser): ModelSession | undefined {
    if (user.isGone || user.isDisabled) return undefined
    const session: ModelSession = {
      user,
      openedAt: this.now,
      version: user.version,
      idleEnd: Math.min(this.now + idleMs, this.now + maxMs),
      absoluteEnd: this.now + maxMs,
      endedAt: undefined,
      isPurged: false,
      replacedAt: [],
    }
    this.sessions.push(session)
    this.refreshTokens.push({ session, generation: 0 })
    this.heard.session_created += 1
    return session
  }

  /** Notes an access token that was issued now; answers its life in seconds. */
  issue(session: ModelSession): number {
    const exp = Math.floor(Math.min(this.now + accessMs, session.idleEnd, session.absoluteEnd) / 1_000)
    this.accessTokens.push({ session, exp })
    return exp - Math.floor(this.now / 1_000)
  }

  isLive({ isPurged, endedAt, idleEnd, absoluteEnd }: ModelSession): boolean {
    return !isPurged && endedAt === undefined && this.now < idleEnd && this.now < absoluteEnd
  }

  refresh({ session, generation }: ModelRefreshToken): ModelRefresh {
    if (!this.isLive(session)) return { kind: 'refused' }
    if (!this.#canGoOn(session)) return this.#endAndRefuse(session)
    const current = session.replacedAt.length
    if (generation === current) return this.#rotate(session)
    const age = this.now - (session.replacedAt[generation] ?? 0)
    if (current - generation > mostRecent || age > graceMs) return this.#endAndRefuse(session)
    if (this.#secondsLeft(session) < 1) return { kind: 'refused' }
    return { kind: 'repeated', generation: current, expiresInSeconds: this.issue(session) }
  }

  authorize({ session, exp }: ModelAccessToken): 'ok' | 'expired' | 'refused' {
    if (this.now >= exp * 1_000) return 'expired'
    return this.isLive(session) ? 'ok' : 'refused'
  }

  revoke({ session, exp }: ModelAccessToken): 'ok' | 'expired' | 'already' {
    if (this.now >= exp * 1_000) return 'expired'
    if (session.endedAt !== undefined) return 'already'
    this.#end(session)
    return 'ok'
  }

  /** Ends what has not ended, expired or not; the spared session takes on the user's version. */
  revokeAll(user: ModelUser, except: ModelSession | undefined): number {
    const ended = this.#kept().filter(
      (session) => session.user === user && session.endedAt === undefined && session !== except,
    )
    for (const session of ended) session.endedAt = this.now
    if (except !== undefined && except.user === user && this.isLive(except) && !user.isGone)
      except.version = user.version
    if (ended.length > 0) this.heard.sessions_ended += 1
    return ended.length
  }

  revokeOne(session: ModelSession): 'ended' | 'already-ended' | 'not-found' {
    if (session.isPurged) return 'not-found'
    if (session.endedAt !== undefined) return 'already-ended'
    this.#end(session)
    return 'ended'
  }

  purge(): number {
    const over = this.#kept().filter(
      ({ endedAt, idleEnd, absoluteEnd }) =>
        Math.min(endedAt ?? Number.POSITIVE_INFINITY, idleEnd, absoluteEnd) + keptMs <= this.now,
    )
    for (const session of over) session.isPurged = true
    return over.length
  }

  liveSessionsOf(user: ModelUser): readonly ModelSession[] {
    return this.sessions.filter((session) => session.user === user && this.isLive(session))
  }

  #kept(): readonly ModelSession[] {
    return this.sessions.filter(({ isPurged }) => !isPurged)
  }

  #canGoOn({ user, version }: ModelSession): boolean {
    return !user.isGone && !user.isDisabled && user.version === version
  }

  #rotate(session: ModelSession): ModelRefresh {
    const idleEnd = Math.min(this.now + idleMs, session.absoluteEnd)
    if (this.#secondsLeft({ ...session, idleEnd }) < 1) return { kind: 'refused' }
    session.replacedAt.push(this.now)
    session.idleEnd = idleEnd
    const generation = session.replacedAt.length
    this.refreshTokens.push({ session, generation })
    return { kind: 'rotated', generation, expiresInSeconds: this.issue(session) }
  }

  #secondsLeft({ idleEnd, absoluteEnd }: ModelSession): number {
    return Math.floor(Math.min(idleEnd, absoluteEnd) / 1_000) - Math.floor(this.now / 1_000)
  }

  #end(session: ModelSession): void {
    session.endedAt = this.now
    this.heard.session_ended += 1
  }

  #endAndRefuse(session: ModelSession): ModelRefresh {
    this.#end(session)
    return { kind: 'refused' }
  }
}
