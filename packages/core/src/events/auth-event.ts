import type { AuthErrorCode } from '../errors/error-table.js'
import type { UserId } from '../ports/user-directory.js'
import type { EndReason } from '../session/end-reason.js'
import type { ClientInfo } from '../session/session-record.js'

/** The session that an event is about. `Id` is the type of your user ids. */
export interface SessionEvent<Id extends UserId = UserId> {
  /** The user of the session. */
  readonly userId: Id
  /** The session. */
  readonly sessionId: string
  /** The address of the client. `null` if it is unknown, or if no client caused the event. */
  readonly ipAddress: string | null
  /** When it happened, by the clock of this instance. */
  readonly at: Date
}

/** Why a login failed. Clients receive the same response for each of them. */
export type LoginFailure =
  /** No user has this name. */
  | 'unknown_user'
  /** The user is disabled. The password may be right. */
  | 'user_disabled'
  /** The password is wrong. */
  | 'wrong_password'
  /**
   * The password was right, but the user was deleted, was disabled or got another credential
   * version during the login.
   */
  | 'user_changed'
  /** The password was right, but the DPoP proof was used before. */
  | 'proof_used'

/** An event that `onEvent` receives. Contains no secret. `Id` is the type of your user ids. */
export type AuthEvent<Id extends UserId = UserId> = {
  /** When it happened, by the clock of this instance. */
  readonly at: Date
} & (
  | (SessionEvent<Id> & {
      /**
       * `login_succeeded`: a user logged in with a password. Follows `session_created` of the same
       * session. `session_created`: a session was opened. `session_refreshed`: a refresh replaced
       * the refresh token.
       */
      readonly type: 'login_succeeded' | 'session_created' | 'session_refreshed'
    })
  | {
      /**
       * The password of a login or of `requirePassword` was checked, and the attempt failed. The
       * response can be 429.
       */
      readonly type: 'login_failed'
      /** Why it failed. */
      readonly reason: LoginFailure
      /** The user with the name or the id that was sent. `undefined` if there is none. */
      readonly userId: Id | undefined
      /** An IPv4 address, the /64 of an IPv6 address, or `unknown`. */
      readonly network: string
      /** The address of the client. `null` if it is unknown. */
      readonly ipAddress: string | null
    }
  | (SessionEvent<Id> & {
      /** A session ended before it expired. */
      readonly type: 'session_ended'
      /** Why it ended: a reason of the service (docs/reference/events.md#reasons). */
      readonly reason: Exclude<EndReason, 'revoked_all' | 'created_before' | 'login_failed' | 'expired'>
    })
  | (RefreshTokenReuse<Id> & {
      /**
       * A replaced refresh token was presented within the grace window: a racing tab, a retry, or a
       * copy.
       */
      readonly type: 'refresh_token_repeated'
      /**
       * How many such events this process has emitted today (UTC) for the session: from the network
       * of the last refresh, or from other networks. After 20 of them, further repeats emit none.
       */
      readonly count: number
    })
  | (RefreshTokenReuse<Id> & {
      /**
       * A refresh token of an active session was presented that is neither the current token nor
       * one that was replaced within the grace window: somebody may have a copy. The session has
       * ended.
       */
      readonly type: 'refresh_token_replayed'
    })
  | (RefreshTokenReuse<Id> & {
      /**
       * A refresh token of a bound session was presented without a proof of the session's key:
       * somebody may have a copy, or the client has lost its key. The request was refused. The
       * session continues, and its refresh token stays valid.
       */
      readonly type: 'refresh_token_without_key'
      /** Whether the request had no proof, or a valid proof of another key. */
      readonly mismatch: 'missing' | 'other_key'
    })
  | {
      /** The application ended all sessions of a user. */
      readonly type: 'sessions_ended'
      /** The user. */
      readonly userId: Id
      /** How many sessions ended. */
      readonly count: number
      /** The reason that the application passed, or `revoked_all`. */
      readonly reason: string
    }
  | {
      /**
       * Logins were refused because the hashing queue was full or their wait timed out. At most one
       * event per minute.
       */
      readonly type: 'login_overload'
      /** The number of refusals since the previous event. */
      readonly count: number
      /**
       * How many of them were of known pairs: users on networks that they have logged in from
       * before.
       */
      readonly knownCount: number
    }
  | {
      /** The application ended all sessions that were opened before an instant. */
      readonly type: 'sessions_ended_before'
      /** The instant. */
      readonly createdBefore: Date
      /** How many sessions ended. */
      readonly count: number
      /** The reason that the sessions have. */
      readonly reason: 'created_before'
    }
  | {
      /**
       * A refresh found a session that was written further in the future than five seconds and
       * `clockToleranceSeconds`: the clocks of two instances differ (docs/reliability.md#clocks).
       * At most one event per minute.
       */
      readonly type: 'clock_skew'
      /** How far in the future, by the clock of this instance. */
      readonly aheadMs: number
    }
  | {
      /**
       * The storage has another primary than before, which may lack acknowledged revocations. Do
       * what docs/runbook.md#failover-of-the-database says. A service asks for the primary at its
       * start, and after calls of the storage failed.
       */
      readonly type: 'storage_primary_changed'
      /** The identity of the former primary. */
      readonly before: string
      /** The identity of the new primary. */
      readonly after: string
    }
  | {
      /**
       * A request was rejected with 401 or 403: by a guard, `auth.verify`, or a route that takes a
       * token. The code `jwt_auth_use_dpop_nonce` causes no event. Logins have events of their own.
       * Anyone can cause such events: do not write each of them to a slow log.
       */
      readonly type: 'request_rejected'
      /**
       * The code of the rejection. A limit may replace the response with 429: the code is then
       * still `jwt_auth_invalid_token`.
       */
      readonly code: AuthErrorCode
      /**
       * The exact reason, such as an expired token or an ended session. `undefined` if `code` says
       * everything.
       */
      readonly detail: string | undefined
      /** The user of the token. `undefined` if the token is missing or invalid. */
      readonly userId: Id | undefined
      /** The session of the token. `undefined` if the token is missing or invalid. */
      readonly sessionId: string | undefined
      /** The address of the client. `null` if it is unknown. */
      readonly ipAddress: string | null
    }
  | {
      /** `setKeys` replaced the keys of this instance. */
      readonly type: 'keys_changed'
      /** The `kid` of the key that signs from now on. */
      readonly activeKid: string
      /** The `kid` of every key whose tokens are accepted from now on. */
      readonly kids: readonly string[]
    }
  | {
      /** A purge finished. A purge that fails is reported to `onError`. */
      readonly type: 'purge_finished'
      /** How many sessions it deleted. */
      readonly deleted: number
    }
  | (LimitExceeded & {
      /** A limit was reached. Announced once for each window of a limit, not for each refusal. */
      readonly type: 'rate_limited'
    })
)

/** A refresh token that somebody other than the client of the session may have presented. */
export interface RefreshTokenReuse<Id extends UserId = UserId> {
  /** The user of the session. */
  readonly userId: Id
  /** The session of the token. */
  readonly sessionId: string
  /** When the token was presented. */
  readonly at: Date
  /** Where the token was presented. */
  readonly presentedFrom: ClientInfo
  /** Where the last login or refresh of the session came from. */
  readonly lastRefreshedFrom: ClientInfo
}

/** A limit that was reached, and the network of the attempt. */
export interface LimitExceeded {
  /**
   * The limit that refused the attempt: `accountAndNetwork`, `account`, `network`, `tokens`, or the
   * name of a limit of your own.
   */
  readonly limit: string
  /**
   * An IPv4 address, a /64, /56 or /48 of IPv6, or `unknown`. Never a user name, because people
   * type passwords there.
   */
  readonly network: string
}
