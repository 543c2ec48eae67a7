import type { Awaitable } from '../awaitable.js'
import type { AuthError } from '../errors/auth-error.js'
import type { HmacAlgorithm } from '../keys/algorithm.js'
import type { KeyEntry } from '../keys/key-entry.js'
import type { KeyRing, ServiceSecrets } from '../keys/key-ring.js'
import type { Secret } from '../keys/read-secret.js'
import type { RateLimitOptions, RateLimitPolicy } from '../limits/rate-limit-policy.js'
import type { SessionStorage } from '../ports/session-storage.js'
import type { User, UserDirectory } from '../ports/user-directory.js'
import type { SessionPolicy } from '../session/session-policy.js'
import type { System } from '../system.js'
import type { AuthEvent } from './auth-event.js'

/** What a token service is made from. `undefined` equals absent everywhere. */
export interface TokenServiceOptions {
  /**
   * The signing secret, or several of them: the first signs, all verify. At least 32 bytes for HS256 (48 for HS384, 64
   * for HS512), taken as written. All instances of a service share it. `undefined` (a variable that was not set) is refused
   * at construction. Either this or `keys`.
   */
  readonly secret?: Secret | readonly Secret[] | undefined
  /**
   * The `iss` of the tokens, 1 to 200 characters: the URL of the service, the same on all its instances. Sessions belong to their
   * issuer: services with different issuers may share one storage, and neither reaches the sessions of the other.
   */
  readonly issuer: string
  /**
   * Addresses that the service had before, as option `issuer` named them. Their sessions and access tokens continue. Sessions keep
   * the issuer that opened them: remove an address once `sessionAbsoluteTimeoutSeconds` have passed since the change. @default []
   */
  readonly formerIssuers?: readonly string[] | undefined
  /** The host's users: `passwordUsers(…)`, `knexUsers(…)`, or an object of your own with three methods. */
  readonly users: UserDirectory
  /** Where sessions live: `memoryStorage()`, `knexStorage(knex)`, or any other adapter. */
  readonly storage: SessionStorage
  /** The `aud` of the tokens. @default none: the claim is left out, and tokens that carry one are refused */
  readonly audience?: string | undefined
  /** The algorithm of `secret`. @default 'HS256' */
  readonly algorithm?: HmacAlgorithm | undefined
  /**
   * The keys of the access tokens, in place of `secret`: exactly one is active and signs, all verify. Secrets or key pairs, not
   * both. `setKeys` exchanges them without a restart.
   *
   * @example
   * [{ key: process.env.SIGNING_KEY, algorithm: 'ES256', state: 'active' }, { key: formerPem, algorithm: 'ES256', state: 'verify' }]
   */
  readonly keys?: readonly KeyEntry[] | undefined
  /**
   * The secret of purposes other than signing, or several of them: refresh-token successors and the keys of limits are derived from it.
   * The first derives, all are tried. At least 32 bytes. All instances of a service share it. Required when the active key is held outside
   * of this process (`signer`).
   * @default derived from the signing keys
   */
  readonly serviceSecret?: Secret | readonly Secret[] | undefined
  /** Life of an access token, in seconds, 1 to 2,592,000 (30 days). @default 3600 */
  readonly accessTokenLifetimeSeconds?: number | undefined
  /** A session ends when its refresh token is not used for so long, in seconds, 1 to 315,360,000. @default 2592000 (30 days) */
  readonly sessionIdleTimeoutSeconds?: number | undefined
  /** A session ends after this time whatever happens, in seconds, 1 to 315,360,000. @default 7776000 (90 days) */
  readonly sessionAbsoluteTimeoutSeconds?: number | undefined
  /**
   * How long a replaced refresh token still leads to the current one, in seconds, 0 to 300; 0 makes each use of an old one
   * end the session, racing tabs and lost answers included. @default 30
   */
  readonly refreshGraceSeconds?: number | undefined
  /**
   * Whether the session ends when a token that was replaced within `refreshGraceSeconds` is presented from another network (IPv4
   * address, IPv6 /64) than the last refresh. Mobile clients that change networks between a lost response and its retry are logged
   * out. Needs the address that option `device` keeps. @default false
   */
  readonly endSessionOnRepeatFromOtherNetwork?: boolean | undefined
  /** How long after `exp` a token is still let in, for clocks that differ, in seconds, 0 to 60. @default 0 */
  readonly clockToleranceSeconds?: number | undefined
  /**
   * How long storage (and a lookup of `users`, and `claims`) may take for one call, in milliseconds, 10 to 60,000; what takes longer
   * is cancelled, as far as it can be, and answered 503. @default 1000
   */
  readonly storageTimeoutMs?: number | undefined
  /**
   * How many active sessions a user may have, 1 to 1,000. A login beyond the limit ends the session that was not used for longest,
   * with the reason `session_limit`. A login ends at most 100 sessions: after a change to a lower limit, later logins end the rest.
   * @default 50
   */
  readonly maxSessionsPerUser?: number | undefined
  /**
   * How often this process deletes sessions whose last token has been dead for a day, in seconds, 60 to 604,800. Several
   * instances may do so at once, and the timer keeps no process alive. @default never: call `sessions.purge()` yourself
   */
  readonly purgeIntervalSeconds?: number | undefined
  /**
   * How many failed attempts are let through; `false` limits nothing, for a host that has limits of its own.
   * @default on, in the memory of this process: see {@link RateLimitOptions}
   */
  readonly rateLimits?: RateLimitOptions | false | undefined
  /**
   * Claims of the host's own for each access token. Registered names and `sid` and `data` can't be taken. What it throws
   * fails the login or the refresh with 500, what takes longer than `storageTimeoutMs` with 503, and nothing is consumed.
   * @default none
   */
  readonly claims?: ((user: User) => Awaitable<HostClaims>) | undefined
  /**
   * Called with every failure that the client did not cause. `detail` and `cause` of the error say what failed and, for a mistake
   * in the application, the fix. Such a mistake is reported once, and a full hashing queue once a minute.
   * @default a record on stderr, at most one per second for each code
   */
  readonly onError?: ((error: AuthError) => void) | undefined
  /**
   * Called when sessions open and end, when a login fails, when a replaced refresh token is presented again, when a limit is reached, and when the hashing
   * queue refuses logins. What it throws
   * goes to `onError`. @default nothing
   */
  readonly onEvent?: ((event: AuthEvent) => void) | undefined
  /** Time and randomness, for tests; what is left out is the machine's. @default the machine's */
  readonly system?: Partial<System> | undefined
}

/** Claims a host adds: JSON data. */
export type HostClaims = Readonly<Record<string, unknown>>

/** The options with every default in place; frozen. */
export interface ResolvedOptions extends SessionPolicy {
  readonly keyRing: KeyRing
  /** From the option `serviceSecret`; `undefined` derives them from the signing keys. */
  readonly serviceSecrets: ServiceSecrets | undefined
  readonly issuer: string
  readonly formerIssuers: readonly string[]
  readonly users: UserDirectory
  readonly storage: SessionStorage
  readonly audience: string | undefined
  readonly clockToleranceSeconds: number
  readonly storageTimeoutMs: number
  readonly purgeIntervalSeconds: number | undefined
  /** `undefined` limits nothing. */
  readonly rateLimits: RateLimitPolicy | undefined
  readonly claims: (user: User) => Awaitable<HostClaims>
  readonly onError: (error: AuthError) => void
  readonly onEvent: (event: AuthEvent) => void
  readonly system: System
}
