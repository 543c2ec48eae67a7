import type { DpopOptions } from '../dpop/dpop-options.js'
import type { AuthError } from '../errors/auth-error.js'
import type { AuthEvent } from '../events/auth-event.js'
import type { HmacAlgorithm } from '../keys/algorithm.js'
import type { KeyEntry, Secret } from '../keys/key.js'
import type { RateLimitOptions } from '../limits/rate-limits.js'
import type { SessionStorage } from '../ports/session-storage.js'
import type { User, UserDirectory } from '../ports/user-directory.js'

/**
 * The options of a token service. For every option, `undefined` means the same as omitting it.
 * TypeScript infers `U`, your type of a user, from `users`, and `C`, the type of your claims, from
 * `claims`.
 */
export interface TokenServiceOptions<U extends User = User, C extends object = object> {
  /**
   * The secret of the service, the same on all its instances. It signs the access tokens unless
   * `keys` are given. The successors of refresh tokens, nonces and the keys of limits are derived
   * from it. Of several secrets, the first signs and derives new values, and all verify. At least
   * 32 bytes (48 for HS384, 64 for HS512). Text is used as UTF-8 bytes and never decoded.
   */
  readonly secret: Secret | readonly Secret[] | undefined
  /**
   * The `iss` of the tokens, 1 to 200 characters: the URL of the service, the same on all its
   * instances. Services that share a storage need different issuers. In a list, the first is
   * current, and the sessions and access tokens of the others continue. Remove a former issuer once
   * `sessionAbsoluteTimeoutSeconds` have passed since the change.
   */
  readonly issuer: string | readonly string[]
  /** Your users: `passwordUsers(…)`, `knexUsers(…)`, or your own object with three methods. */
  readonly users: UserDirectory<U>
  /** The storage of the sessions: `memoryStorage()`, `knexStorage(knex)`, or another adapter. */
  readonly storage: SessionStorage
  /**
   * The `aud` of the access tokens: for whom they are. It does not separate sessions: `issuer`
   * does.
   * @default none: tokens have no `aud`, and tokens with an `aud` are rejected
   */
  readonly audience?: string | undefined
  /** The algorithm of `secret` when it signs: without `keys`. @default 'HS256' */
  readonly algorithm?: HmacAlgorithm | undefined
  /**
   * The keys that sign and verify access tokens, in place of `secret`. `setKeys` replaces them
   * without a restart.
   *
   * @example
   * ```ts
   * [
   *   { key: process.env.SIGNING_KEY, algorithm: 'ES256', state: 'active' },
   *   { key: formerPem, algorithm: 'ES256', state: 'verify' },
   * ]
   * ```
   */
  readonly keys?: readonly KeyEntry[] | undefined
  /**
   * The lifetime of an access token, in seconds, 1 to 2,592,000 (30 days), and at most
   * `sessionIdleTimeoutSeconds`.
   * @default 3600, or `sessionIdleTimeoutSeconds` if it is less
   */
  readonly accessTokenLifetimeSeconds?: number | undefined
  /**
   * A session ends if its refresh token is not used for this long, in seconds, 1 to 315,360,000,
   * and at most `sessionAbsoluteTimeoutSeconds`.
   * @default 2592000 (30 days), or `sessionAbsoluteTimeoutSeconds` if it is less
   */
  readonly sessionIdleTimeoutSeconds?: number | undefined
  /**
   * A session ends this long after the login in any case, in seconds, 1 to 315,360,000.
   * @default 7776000 (90 days)
   */
  readonly sessionAbsoluteTimeoutSeconds?: number | undefined
  /**
   * How long a replaced refresh token can still be exchanged for the current refresh token, in
   * seconds, 0 to 300. With 0, any reuse ends the session, even by a racing tab or a retry.
   * @default 30
   */
  readonly refreshGraceSeconds?: number | undefined
  /**
   * Whether the session ends when a token that was replaced within `refreshGraceSeconds` is
   * presented from a network (IPv4 address, IPv6 /64) other than that of the last refresh. Mobile
   * clients that change networks between a lost response and its retry are logged out. This
   * option compares the addresses that `device` stores.
   * @default false
   */
  readonly endSessionOnRepeatFromOtherNetwork?: boolean | undefined
  /**
   * How long after `exp` a token is still accepted, for clocks that differ, in seconds, 0 to 60.
   * @default 0
   */
  readonly clockToleranceSeconds?: number | undefined
  /**
   * How long one call to the storage, to a lookup of `users`, to `claims`, `profile` or a `signer`
   * may take, in milliseconds, 10 to 60,000. Slower calls are cancelled if possible, and fail with
   * 503.
   * @default 1000
   */
  readonly callTimeoutMs?: number | undefined
  /**
   * How many active sessions a user may have, 1 to 1,000. A login beyond the limit ends the least
   * recently used session, with the reason `session_limit`.
   * @default 50
   */
  readonly maxSessionsPerUser?: number | undefined
  /**
   * Binds sessions to a key of their client (DPoP, RFC 9449), so that a copied token is useless
   * without the key. Set the option on all instances.
   * @default no session is bound, and the header `DPoP` is ignored
   * @example
   * ```ts
   * jwtAuth({ …, dpop: { bind: 'refresh-tokens' } })
   * ```
   */
  readonly dpop?: DpopOptions | undefined
  /**
   * How often this process deletes sessions whose last token expired more than a day ago, in
   * seconds, 60 to 604,800. The first purge takes place within an hour, and each interval varies by
   * a quarter. Several instances may purge concurrently. `false` turns purging off: call
   * `sessions.purge()` yourself.
   * @default 86400 (a day)
   */
  readonly purgeIntervalSeconds?: number | false | undefined
  /**
   * How many failed attempts are allowed. `false` limits nothing.
   * @default on, in the memory of this process: see {@link RateLimitOptions}
   */
  readonly rateLimits?: RateLimitOptions | false | undefined
  /**
   * Returns additional claims for an access token: JSON data. Called at the login and at each
   * refresh, with the user as they are now and the session with its attributes. Registered names,
   * `sid` and `data` are not allowed. If it throws, the login or the refresh fails with 500.
   * @default no additional claims
   * @example
   * ```ts
   * jwtAuth({ …, claims: ({ role }, { attributes }) => ({ role, tenant: attributes.tenant }) })
   * ```
   */
  readonly claims?:
    | ((
        user: U,
        session: Readonly<{ id: string; createdAt: Date; attributes: Readonly<Record<string, unknown>> }>,
      ) => C | Promise<C>)
    | undefined
  /**
   * Returns members for the responses of login, refresh and `/me`, beside those of the contract:
   * JSON data under other names. If it throws, the request fails with 500.
   * @default no further members
   * @example
   * ```ts
   * jwtAuth({ …, profile: ({ roles }) => ({ roles }) })
   * ```
   */
  readonly profile?: ((user: U) => object | Promise<object>) | undefined
  /**
   * Called with every failure that the client did not cause. `detail` and `cause` of the error say
   * what failed and, for a mistake in the application, the fix.
   * @default a record on stderr, at most one per second for each code
   */
  readonly onError?: ((error: AuthError) => void) | undefined
  /** Called with each {@link AuthEvent}. Errors that it throws go to `onError`. @default nothing */
  readonly onEvent?: ((event: AuthEvent<U['id']>) => void) | undefined
}
