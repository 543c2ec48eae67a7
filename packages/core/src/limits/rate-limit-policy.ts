import type { CreateLimiter, Limit } from './limiter.js'

/** The limits of a service, by what they count. */
export interface RateLimits {
  /**
   * Failed logins to one account from one network. Ten in three hours are fewer in a day than `account` has, so that no
   * network alone can use up what strangers have. @default { points: 10, durationSeconds: 10800 } (three hours)
   */
  readonly accountAndNetwork: Limit
  /**
   * Failed logins to one account from all networks together that never logged in to it. @default { points: 100,
   * durationSeconds: 86400 } (a day)
   */
  readonly account: Limit
  /**
   * Failed logins from one network to all accounts together that it never logged in to. @default { points: 100,
   * durationSeconds: 3600 } (an hour)
   */
  readonly network: Limit
  /**
   * Refused tokens (refresh, validate, revoke, me: each by itself) from one network. @default { points: 1000,
   * durationSeconds: 60 }
   */
  readonly tokens: Limit
}

type OptionalLimits = { readonly [Name in keyof RateLimits]?: RateLimits[Name] | undefined }

/** The option `rateLimits`; what is left out has its default. */
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
