import {
  canGoOn,
  endModelSession,
  endOf,
  expOf,
  isLive,
  isWorthIssuing,
  type ModelSession,
  type ModelUser,
  type Reading,
  refreshModelSession,
} from './reference-session.js'

/** What is heard of an operation. A refresh token is known by its place in the chain, until somebody has seen it. */
export type Answer =
  | { readonly kind: 'granted'; readonly generation: number; readonly exp: number }
  /** The guard judges what it read by a later look at the clock: it refuses from `until` on. */
  | { readonly kind: 'let in'; readonly until: number }
  | { readonly kind: 'revoked'; readonly at: number }
  | { readonly kind: 'ended' | 'spared' | 'listed' | 'unlisted' }
  | { readonly kind: 'refused' | 'expired' | 'already revoked' }

/** What an operation that has written nothing yet may come to, given a session as it stands. */
export interface Prospects {
  /** Answers that leave the session as it is. */
  readonly answers: readonly Answer[]
  /** Changes it may make now, each indivisible and its last act. */
  readonly writes: readonly { readonly session: ModelSession; readonly answer: Answer }[]
  /** It may decide now that the session has to end; the write comes later. */
  readonly mayDoom: boolean
}

/** What an operation has seen of the world so far: the clock when it looked at it, the user at any time since its begin. */
export interface View {
  readonly instants: readonly number[]
  readonly users: readonly (ModelUser | undefined)[]
}

/** What an operation may come to. */
export type Behaviour = (session: ModelSession, view: View) => Prospects

const answering = (...answers: readonly Answer[]): Prospects => ({ answers, writes: [], mayDoom: false })
const writing = (session: ModelSession, answer: Answer): Prospects => ({
  answers: [],
  writes: [{ session, answer }],
  mayDoom: false,
})
const dooming: Prospects = { answers: [], writes: [], mayDoom: true }

const together = (all: readonly Prospects[]): Prospects => ({
  answers: all.flatMap(({ answers }) => answers),
  writes: all.flatMap(({ writes }) => writes),
  mayDoom: all.some(({ mayDoom }) => mayDoom),
})

const readings = ({ instants, users }: View): readonly Reading[] =>
  instants.flatMap((now) => users.map((user) => ({ now, user })))

/** A refresh with a token that was once given. */
export const refreshing =
  (refreshToken: string): Behaviour =>
  (session, view) =>
    together(readings(view).map((reading) => refreshAt(session, refreshToken, reading)))

const refreshAt = (session: ModelSession, refreshToken: string, reading: Reading): Prospects => {
  const outcome = refreshModelSession(session, refreshToken, reading)
  switch (outcome.kind) {
    case 'refused':
      return answering({ kind: 'refused' })
    case 'fatal':
      return dooming
    case 'repeated':
      return answering({ ...outcome, kind: 'granted' })
    case 'rotated':
      return writing(outcome.session, { kind: 'granted', generation: outcome.generation, exp: outcome.exp })
  }
}

/** A guard: the clock is read before storage is, and once more after. */
export const authorizing =
  (exp: number): Behaviour =>
  (session, { instants }) =>
    together(
      instants.map((now) => {
        if (now >= exp * 1_000) return answering({ kind: 'expired' })
        return answering(isLive(session, now) ? { kind: 'let in', until: endOf(session) } : { kind: 'refused' })
      }),
    )

/** A revocation by an access token. */
export const revoking =
  (exp: number): Behaviour =>
  (session, { instants }) =>
    together(
      instants.map((now) => {
        if (now >= exp * 1_000) return answering({ kind: 'expired' })
        if (session.isEnded) return answering({ kind: 'already revoked' })
        return writing(endModelSession(session), { kind: 'revoked', at: now })
      }),
    )

/** The host ends all sessions of a user, this one among them; one that is over by itself may be purged by then. */
export const endingWithOthers: Behaviour = (session, { instants }) => {
  const spared = answering({ kind: 'spared' })
  if (session.isEnded) return spared
  const ended = writing(endModelSession(session), { kind: 'ended' })
  return instants.every((now) => isLive(session, now)) ? ended : together([ended, spared])
}

/** The host lists the user's sessions. */
export const listing: Behaviour = (session, { instants }) =>
  answering(...instants.map((now): Answer => ({ kind: isLive(session, now) ? 'listed' : 'unlisted' })))

/** What the host does to all sessions of a user while this one opens: it may come too early for this one. */
export const perhaps =
  (behaviour: Behaviour, tooEarly: 'spared' | 'unlisted'): Behaviour =>
  (session, view) =>
    together([behaviour(session, view), answering({ kind: tooEarly })])

/** The second half of a login, once its session stands: the user is looked up again. */
export const settling: Behaviour = (session, view) =>
  together(
    readings(view).map(({ now, user }) => {
      if (!canGoOn(session, user) || !isWorthIssuing(session, now)) return dooming
      return answering({ kind: 'granted', generation: 0, exp: expOf(session, now) })
    }),
  )

/** The end that a login writes whose second half failed; spared where it did not come to that. */
export const cleaningUp: Behaviour = (session) =>
  together([answering({ kind: 'spared' }), writing(endModelSession(session), { kind: 'ended' })])
