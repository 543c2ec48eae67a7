import type { LimitExceeded } from '../limits/rate-limits.js'
import type { UserId } from '../ports/user-directory.js'
import type { Place } from '../session/session-record.js'

/** An event that `onEvent` receives. Contains no secret. */
export type AuthEvent =
  | {
      /** A session was opened. */
      readonly type: 'session_created'
      readonly userId: UserId
      readonly sessionId: string
      readonly at: Date
    }
  | {
      /** A session ended before it expired. */
      readonly type: 'session_ended'
      readonly userId: UserId
      readonly sessionId: string
      readonly at: Date
      readonly reason: string
    }
  | {
      /**
       * A login or `checkPassword` checked a password that was wrong, or whose user does not exist or is disabled. Also announced
       * if the response is 429. Not announced for attempts whose password was not checked.
       */
      readonly type: 'login_failed'
      /** The user with the name or the id that was sent. `undefined` if there is none. */
      readonly userId: UserId | undefined
      /** An IPv4 address, the /64 of an IPv6 address, or `unknown`. */
      readonly network: string
      readonly at: Date
    }
  | (RefreshTokenSighting & {
      /** A replaced refresh token was presented within the grace window: a racing tab, a retry, or a copy. */
      readonly type: 'refresh_token_repeated'
      /** How often this process has seen this token since it was replaced. 21 is refused, and later ones are not announced. */
      readonly count: number
    })
  | (RefreshTokenSighting & {
      /** A refresh token was presented that is no longer valid: somebody has a copy. Its session has ended. */
      readonly type: 'refresh_token_replayed'
    })
  | {
      /** The application ended all sessions of a user. */
      readonly type: 'sessions_ended'
      readonly userId: UserId
      readonly count: number
      readonly at: Date
      readonly reason: string
    }
  | {
      /** Logins were refused because the hashing queue was full or their wait timed out. At most one event per minute. */
      readonly type: 'login_overload'
      /** The number of refusals since the previous event, including the one that caused this event. */
      readonly count: number
      /** How many of them were of known pairs: users on networks that they have logged in from before. */
      readonly knownCount: number
      readonly at: Date
    }
  | {
      /** The application ended all sessions that were opened before an instant. */
      readonly type: 'sessions_ended_before'
      readonly issuedBefore: Date
      readonly count: number
      readonly at: Date
      readonly reason: 'issued_before'
    }
  | {
      /**
       * A refresh found a session that was written more than five seconds in the future: the clocks of two instances differ. From
       * a difference of `refreshGraceSeconds` on, refreshes by racing tabs end sessions. At most one event per minute.
       */
      readonly type: 'clock_skew'
      /** How far in the future, by the clock of this instance. */
      readonly aheadMs: number
      readonly at: Date
    }
  | (LimitExceeded & {
      /** A limit was reached. Announced once for each window of a limit, not for each refusal. */
      readonly type: 'rate_limited'
      readonly at: Date
    })

/** A replaced refresh token that was presented again. */
export interface RefreshTokenSighting {
  /** The user of the session. */
  readonly userId: UserId
  /** The session of the token. */
  readonly sessionId: string
  /** When the token was presented. */
  readonly at: Date
  /** Where the replaced token was presented. */
  readonly presentedFrom: Place
  /** Where the last login or refresh of the session came from. */
  readonly lastRefreshedFrom: Place
}
