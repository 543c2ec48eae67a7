import {
  endModelSession,
  endOf,
  expOf,
  isActive,
  isWorthIssuing,
  type ModelSession,
  type ModelUser,
  mayContinue,
  type Reading,
  refreshModelSession,
} from './reference-session.js'

/**
 * The result of an operation. A refresh token is known by its place in the chain until a client has
 * received it.
 */
export type Result =
  | { readonly kind: 'granted'; readonly generation: number; readonly exp: number }
  /** The guard reads the clock again after storage has responded, and refuses from `until` on. */
  | { readonly kind: 'authenticated'; readonly until: number }
  | { readonly kind: 'revoked'; readonly at: number }
  | { readonly kind: 'ended' | 'spared' | 'listed' | 'unlisted' }
  | { readonly kind: 'refused' | 'expired' | 'already revoked' }

/** What an operation that has written nothing yet may do to a session in its present state. */
export interface Prospects {
  /** Results that leave the session unchanged. */
  readonly results: readonly Result[]
  /**
   * Changes that it may make now. Each change is atomic, and the operation does nothing after it.
   */
  readonly writes: readonly { readonly session: ModelSession; readonly result: Result }[]
  /** Whether it may decide now to end the session. The write comes later. */
  readonly mayDoom: boolean
}

/**
 * What an operation may have seen so far: the instants at which it read the clock, and the user at
 * any time since its start.
 */
export interface View {
  readonly instants: readonly number[]
  readonly users: readonly (ModelUser | undefined)[]
}

/** Returns what an operation may do to a session. */
export type Behaviour = (session: ModelSession, view: View) => Prospects

const resolving = (...results: readonly Result[]): Prospects => ({ results, writes: [], mayDoom: false })
const writing = (session: ModelSession, result: Result): Prospects => ({
  results: [],
  writes: [{ session, result }],
  mayDoom: false,
})
const dooming: Prospects = { results: [], writes: [], mayDoom: true }

const together = (all: readonly Prospects[]): Prospects => ({
  results: all.flatMap(({ results }) => results),
  writes: all.flatMap(({ writes }) => writes),
  mayDoom: all.some(({ mayDoom }) => mayDoom),
})

const readings = ({ instants, users }: View): readonly Reading[] =>
  instants.flatMap((now) => users.map((user) => ({ now, user })))

/** A refresh with a refresh token of the session. */
export const refreshing =
  (refreshToken: string): Behaviour =>
  (session, view) =>
    together(readings(view).map((reading) => refreshAt(session, refreshToken, reading)))

const refreshAt = (session: ModelSession, refreshToken: string, reading: Reading): Prospects => {
  const outcome = refreshModelSession(session, refreshToken, reading)
  switch (outcome.kind) {
    case 'refused':
      return resolving({ kind: 'refused' })
    case 'fatal':
      return dooming
    case 'repeated':
      return resolving({ ...outcome, kind: 'granted' })
    case 'rotated':
      return writing(outcome.session, { kind: 'granted', generation: outcome.generation, exp: outcome.exp })
  }
}

/** The use of a token without the key of the session: it changes nothing. */
export const stealing: Behaviour = () => resolving({ kind: 'refused' })

/** A guarded request. The guard reads the clock before storage and once more after it. */
export const authorizing =
  (exp: number): Behaviour =>
  (session, { instants }) =>
    together(
      instants.map((now) => {
        if (now >= exp * 1_000) return resolving({ kind: 'expired' })
        return resolving(
          isActive(session, now) ? { kind: 'authenticated', until: endOf(session) } : { kind: 'refused' },
        )
      }),
    )

/** A revocation with an access token. */
export const revoking =
  (exp: number): Behaviour =>
  (session, { instants }) =>
    together(
      instants.map((now) => {
        if (now >= exp * 1_000) return resolving({ kind: 'expired' })
        if (session.isEnded) return resolving({ kind: 'already revoked' })
        return writing(endModelSession(session), { kind: 'revoked', at: now })
      }),
    )

/** A logout with any refresh token of the session. */
export const loggingOut: Behaviour = (session, { instants }) =>
  together(
    instants.map((now) => {
      if (isActive(session, now)) return writing(endModelSession(session), { kind: 'ended' })
      // A session that was purged is unknown.
      return resolving({ kind: 'already revoked' }, { kind: 'refused' })
    }),
  )

/**
 * The application ends all sessions of a user, this one included. An expired session may be purged
 * by then.
 */
export const endingWithOthers: Behaviour = (session, { instants }) => {
  const spared = resolving({ kind: 'spared' })
  if (session.isEnded) return spared
  const ended = writing(endModelSession(session), { kind: 'ended' })
  return instants.every((now) => isActive(session, now)) ? ended : together([ended, spared])
}

/** The application lists the user's sessions. */
export const listing: Behaviour = (session, { instants }) =>
  resolving(...instants.map((now): Result => ({ kind: isActive(session, now) ? 'listed' : 'unlisted' })))

/**
 * What the application does to all sessions of a user while this one opens. It may be too early for
 * this one.
 */
export const perhaps =
  (behaviour: Behaviour, tooEarly: 'spared' | 'unlisted'): Behaviour =>
  (session, view) =>
    together([behaviour(session, view), resolving({ kind: tooEarly })])

/**
 * The second half of a login, after its session was stored: the service looks the user up again.
 */
export const settling: Behaviour = (session, view) =>
  together(
    readings(view).map(({ now, user }) => {
      if (!mayContinue(session, user) || !isWorthIssuing(session, now)) return dooming
      return resolving({ kind: 'granted', generation: 0, exp: expOf(session, now) })
    }),
  )

/**
 * The end that a login writes when its second half fails. `spared` when the login does not fail.
 */
export const cleaningUp: Behaviour = (session) =>
  together([resolving({ kind: 'spared' }), writing(endModelSession(session), { kind: 'ended' })])
