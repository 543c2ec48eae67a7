import type { CreateLimiter, Limit } from './limiter.js'

/** The limits of a service, by what they count. */
export interface RateLimits {
  /**
   * Failed logins to one account from one network. Ten in three hours are fewer in a day than `account` has, so that no single network
   * uses up the limit of an account. For the same reason all networks of one IPv6 /48 together have half of `account`.
   * @default { points: 10, durationSeconds: 10800 } (three hours)
   */
  readonly accountAndNetwork: Limit
  /**
   * Failed logins to one account. When it is used up, only networks from which the user has logged in before get further.
   * @default { points: 100, durationSeconds: 86400 } (a day)
   */
  readonly account: Limit
  /**
   * Failed logins from one network to all accounts together. An IPv6 /56 has three times as many, a /48 ten times as many. When it is used
   * up, only users who have logged in from the network before get further. @default { points: 100, durationSeconds: 3600 } (an hour)
   */
  readonly network: Limit
  /**
   * Failed logins from one network to all accounts together that have logged in from it before. Beyond it, these logins are refused as
   * those of other accounts are. @default { points: 300, durationSeconds: 3600 } (an hour)
   */
  readonly knownNetwork: Limit
  /**
   * Right passwords of one user from one network: each login makes a hash and a session. All networks of the user together have ten times
   * as many. Further right passwords get 429 and count as failed logins. @default { points: 60, durationSeconds: 3600 } (an hour)
   */
  readonly successfulLogins: Limit
  /**
   * Refused tokens (refresh, validate, revoke, me: each separately) from one network. Valid tokens are never limited.
   * @default { points: 1000, durationSeconds: 60 }
   */
  readonly tokens: Limit
}

type OptionalLimits = { readonly [Name in keyof RateLimits]?: RateLimits[Name] | undefined }

/** The option `rateLimits`; omitted members have their defaults. */
export interface RateLimitOptions extends OptionalLimits {
  /** How long after a login its network stays known to the account, in seconds. @default 7776000 (90 days) */
  readonly knownNetworkSeconds?: number | undefined
  /**
   * Makes the limiter behind each limit: a limiter of rate-limiter-flexible over a store that all instances share.
   * @default in the memory of this process, at most 50,000 keys for each limit
   * @example (options) => new RateLimiterRedis({ storeClient: redis, ...options })
   */
  readonly limiter?: CreateLimiter | undefined
}

/** The limits with every default in place. */
export interface RateLimitPolicy extends RateLimits {
  readonly knownNetworkSeconds: number
  /** `undefined` counts in memory. */
  readonly limiter: CreateLimiter | undefined
}
