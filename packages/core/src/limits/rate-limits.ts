import {
  checkOptionNames,
  invalidOption,
  optionError,
  readFunction,
  readInteger,
  readPort,
  readText,
} from '../option-checks.js'
import type { CreateLimiter, Limit } from './limiter.js'

/** The limits of a service, by what they count. */
export interface RateLimits {
  /**
   * Failed logins to one account from one network. Ten in three hours are fewer in a day than `account` allows, so that no single
   * network uses up the limit of an account. For the same reason all networks of one IPv6 /48 together have half of `account`.
   * @default { points: 10, durationSeconds: 10800 } (three hours)
   */
  readonly accountAndNetwork: Limit
  /**
   * Failed logins to one account. When it is used up, only networks from which the user has logged in before are still allowed.
   * @default { points: 100, durationSeconds: 86400 } (a day)
   */
  readonly account: Limit
  /**
   * Failed logins from one network to all accounts together. An IPv6 /56 has three times as many, a /48 ten times as many. When
   * it is used up, only users who have logged in from the network before are still allowed.
   * @default { points: 100, durationSeconds: 3600 } (an hour)
   */
  readonly network: Limit
  /**
   * Failed logins from one network, over all accounts that have logged in from this network before. When this limit is used up,
   * logins to these accounts are refused like logins to other accounts.
   * @default { points: 300, durationSeconds: 3600 } (an hour)
   */
  readonly knownNetwork: Limit
  /**
   * Right passwords of one user from one network: each login makes a hash and a session. All networks of the user together have
   * ten times as many. Further right passwords get 429 and count as failed logins.
   * @default { points: 60, durationSeconds: 3600 } (an hour)
   */
  readonly successfulLogins: Limit
  /**
   * Refused tokens (refresh, validate, revoke, me: each separately) from one network. Valid tokens are never limited.
   * @default { points: 1000, durationSeconds: 60 }
   */
  readonly tokens: Limit
}

/** A limit that was reached, and the network of the attempt. */
export interface LimitExceeded {
  /** The limit that refused the attempt. */
  readonly limit: keyof RateLimits
  /** An IPv4 address, a /64, /56 or /48 of IPv6, or `unknown`. Never a user name, because people type passwords there. */
  readonly network: string
}

/** Each limit of {@link RateLimits}. Omitted limits have their defaults. */
export type OptionalLimits = { readonly [Name in keyof RateLimits]?: RateLimits[Name] | undefined }

/** The option `rateLimits`. Omitted members have their defaults. */
export interface RateLimitOptions extends OptionalLimits {
  /** How long a network stays known to a user after a login, in seconds, 60 to 31,536,000. @default 7776000 (90 days) */
  readonly knownNetworkSeconds?: number | undefined
  /**
   * Creates the limiter of each limit: `knexLimits(knex)`, `redisLimits(client)`, or a limiter of rate-limiter-flexible over a
   * store that all instances share.
   * @default in the memory of this process, at most 50,000 keys for each limit
   *
   * @example
   * ```ts
   * (options) => new RateLimiterRedis({ storeClient: redis, ...options })
   * ```
   */
  readonly limiter?: CreateLimiter | undefined
  /**
   * Names the user directory in the keys of the counts. Set the same name in services with one user
   * directory, one `limiter` over a shared store and one secret, such as the two services of a second
   * factor. They then count together. Otherwise each service allows the full number of guesses.
   * @default the `issuer` of the service
   */
  readonly directory?: string | undefined
}

/** The limits with every default applied. */
export interface RateLimitPolicy extends RateLimits {
  /** How long a network stays known to a user after a login. */
  readonly knownNetworkSeconds: number
  /** `undefined` counts in memory. */
  readonly limiter: CreateLimiter | undefined
  /** Names the user directory in the keys of the counts. `undefined` stands for the issuer. */
  readonly directory: string | undefined
}

const hour = 60 * 60
const day = 24 * hour
const longestWindow = 365 * day

const optionNames: Record<keyof RateLimitOptions, true> = {
  accountAndNetwork: true,
  account: true,
  network: true,
  knownNetwork: true,
  successfulLogins: true,
  tokens: true,
  knownNetworkSeconds: true,
  limiter: true,
  directory: true,
}

/** Reads the option `rateLimits`. Returns `undefined` for `false`. The reasons for the numbers: docs/design/rate-limits.md. */
export const readRateLimits = (given: RateLimitOptions | false = {}): RateLimitPolicy | undefined => {
  if (given === false) return undefined
  if (typeof given === 'function') {
    throw invalidOption('rateLimits', 'is a function', 'write `rateLimits: { limiter: knexLimits(knex) }`.')
  }
  if (typeof given !== 'object' || given === null) throw optionError('rateLimits', 'false or an object', given)
  checkOptionNames(given, optionNames, 'rateLimits')
  return Object.freeze({
    accountAndNetwork: readLimit('accountAndNetwork', given, { points: 10, durationSeconds: 3 * hour }),
    account: readLimit('account', given, { points: 100, durationSeconds: day }),
    network: readLimit('network', given, { points: 100, durationSeconds: hour }),
    knownNetwork: readLimit('knownNetwork', given, { points: 300, durationSeconds: hour }),
    successfulLogins: readLimit('successfulLogins', given, { points: 60, durationSeconds: hour }),
    tokens: readLimit('tokens', given, { points: 1_000, durationSeconds: 60 }),
    knownNetworkSeconds: readSeconds('rateLimits.knownNetworkSeconds', given.knownNetworkSeconds, {
      min: 60,
      default: 90 * day,
    }),
    limiter: readCreateLimiter(given.limiter),
    directory:
      given.directory === undefined ? undefined : readText('rateLimits.directory', given.directory, 'non-empty text'),
  })
}

const readSeconds = (name: string, value: unknown, range: { readonly min: number; readonly default: number }): number =>
  readInteger(name, value, { ...range, max: longestWindow, unit: 'seconds' })

// A limiter that lacks a method would fail at the first login.
const readCreateLimiter = (given: CreateLimiter | undefined): CreateLimiter | undefined => {
  if (given === undefined) return undefined
  if (typeof given === 'object' && given !== null) {
    throw invalidOption(
      'rateLimits.limiter',
      'is an object',
      'pass a function: `knexLimits(knex)`, `redisLimits(client)` or `(options) => new RateLimiterRedis({ storeClient, ...options })`.',
    )
  }
  const create = readFunction('rateLimits.limiter', given, given)
  if ('raw' in create && 'client' in create) {
    throw invalidOption('rateLimits.limiter', 'is a knex instance', 'wrap it: `limiter: knexLimits(knex)`.')
  }
  if (/^class\b/.test(Function.prototype.toString.call(create))) {
    const call = `(options) => new ${create.name || 'Limiter'}({ storeClient, ...options })`
    throw invalidOption('rateLimits.limiter', 'is a class', `pass a function: \`limiter: ${call}\`.`)
  }
  return (options) => readPort('rateLimits.limiter(…)', create(options), ['consume', 'reward', 'penalty', 'get', 'set'])
}

const limitNames: Record<keyof Limit, true> = { points: true, durationSeconds: true }

const readLimit = (name: keyof RateLimits, options: RateLimitOptions, fallback: Limit): Limit => {
  const path = `rateLimits.${name}`
  const limit = options[name]
  if (limit === undefined) return fallback
  if (typeof limit !== 'object' || limit === null) {
    throw optionError(path, 'an object { points, durationSeconds }', limit)
  }
  checkOptionNames(limit, limitNames, path)
  const points = { min: 1, max: 1_000_000, default: fallback.points, unit: 'attempts' }
  const duration = { min: 1, default: fallback.durationSeconds }
  return Object.freeze({
    points: readInteger(`${path}.points`, limit.points, points),
    durationSeconds: readSeconds(`${path}.durationSeconds`, limit.durationSeconds, duration),
  })
}
