import { createIntegerReader, optionError, readOptions, readPort } from '../option-checks.js'
import type { Limiter } from '../ports/limiter.js'
import type { UserId } from '../ports/user-directory.js'
import { isUserId } from '../user-id.js'

/** How often something is allowed within a window, which starts with the first attempt. */
export interface Limit {
  /** How many attempts are allowed within one window, 1 to 1,000,000. */
  readonly points: number
  /** The length of the window, in seconds, 1 to 31,536,000. */
  readonly durationSeconds: number
}

/** A limit of the application's own, for `limit`. */
export interface RequestLimit extends Limit {
  /**
   * Counts by this key, such as a user id, whatever the address: otherwise guesses at one user from
   * many networks would all be allowed. @default the network of the client's address
   */
  readonly key?: UserId | undefined
}

/** A limit of the application's own, and its name. */
export interface NamedLimit {
  /** Keeps the counts of different limits apart: 1 to 40 letters, digits and underscores. */
  readonly name: string
  readonly limit: RequestLimit
}

/** The limits of a service, by what they count. */
export interface RateLimits {
  /**
   * Failed logins to one account from one network. All networks of one IPv6 /48 together have half
   * of `account`.
   * @default { points: 10, durationSeconds: 10800 } (three hours)
   */
  readonly accountAndNetwork: Limit
  /**
   * Failed logins to one account. When it is used up, only networks from which the user has logged
   * in before are still allowed.
   * @default { points: 100, durationSeconds: 86400 } (a day)
   */
  readonly account: Limit
  /**
   * Failed logins from one network to all accounts together. An IPv6 /56 has three times as many, a
   * /48 ten times as many. When it is used up, only users who have logged in from the network
   * before are still allowed, until three times as many have failed.
   * @default { points: 100, durationSeconds: 3600 } (an hour)
   */
  readonly network: Limit
  /**
   * Refused tokens (refresh, validate, revoke, me: each separately) from one network. Valid tokens
   * are never limited.
   * @default { points: 1000, durationSeconds: 60 }
   */
  readonly tokens: Limit
}

/** Each limit of {@link RateLimits}. Omitted limits have their defaults. */
export type OptionalLimits = { readonly [Name in keyof RateLimits]?: RateLimits[Name] | undefined }

/** The option `rateLimits`. Omitted members have their defaults. */
export interface RateLimitOptions extends OptionalLimits {
  /**
   * Counts in another store than that of the sessions: your own {@link Limiter}, or that of another
   * storage, such as `redisStorage(client).limiter`.
   * @default the limiter of the storage; without one, the memory of this process
   */
  readonly limiter?: Limiter | undefined
}

const hour = 60 * 60
const day = 24 * hour

/** The default limits. The reasons are in docs/design/rate-limits.md. */
export const defaultLimits: RateLimits = {
  accountAndNetwork: { points: 10, durationSeconds: 3 * hour },
  account: { points: 100, durationSeconds: day },
  network: { points: 100, durationSeconds: hour },
  tokens: { points: 1_000, durationSeconds: 60 },
}

/** Reads the option `rateLimits`. Returns `undefined` for `false`. */
export const readRateLimits = (given: RateLimitOptions | false = {}) => {
  if (given === false) return undefined
  if (typeof given !== 'object' || given === null) throw optionError('rateLimits', 'false or an object', given)
  const readers = {
    accountAndNetwork: createLimitReader(defaultLimits.accountAndNetwork),
    account: createLimitReader(defaultLimits.account),
    network: createLimitReader(defaultLimits.network),
    tokens: createLimitReader(defaultLimits.tokens),
    limiter: readLimiter,
  }
  return Object.freeze(readOptions('rateLimits', given, readers, { prefix: 'rateLimits.' }))
}

/** Checks the arguments of `limit`. */
export const readRequestLimit = ({ name, limit }: NamedLimit) => {
  if (typeof name !== 'string' || !/^\w{1,40}$/.test(name)) {
    throw optionError('limit.name', '1 to 40 letters, digits and underscores', name)
  }
  const readers = { ...createLimitReaders({ points: undefined, durationSeconds: undefined }), key: readLimitKey }
  const { points, durationSeconds, key } = readOptions('limit', limit, readers, { prefix: 'limit.' })
  if (points === undefined || durationSeconds === undefined) {
    throw optionError('limit', '{ points, durationSeconds }', limit)
  }
  return { name, points, durationSeconds, key }
}

const readLimitKey = (name: string, key: UserId | undefined): UserId | undefined => {
  if (key === undefined || isUserId(key)) return key
  throw optionError(name, 'a number, or 1 to 255 characters of text', key)
}

/** The limits with every default applied. */
export type RateLimitPolicy = NonNullable<ReturnType<typeof readRateLimits>>

/** Reads a limiter. `undefined` stays `undefined`. */
export const readLimiter = (name: string, limiter: Limiter | undefined): Limiter | undefined =>
  limiter === undefined ? undefined : readPort(name, limiter, ['reserve', 'refund'])

const createLimitReader =
  (fallback: Limit) =>
  (name: string, limit: Limit | undefined): Limit => {
    if (limit === undefined) return fallback
    return Object.freeze(readOptions(name, limit, createLimitReaders(fallback), { prefix: `${name}.` }))
  }

const createLimitReaders = <Fallback extends { readonly [Name in keyof Limit]: number | undefined }>({
  points,
  durationSeconds,
}: Fallback) => ({
  points: createIntegerReader<Fallback['points']>({ ...pointsRange, default: points }),
  durationSeconds: createIntegerReader<Fallback['durationSeconds']>({ ...durationRange, default: durationSeconds }),
})

const pointsRange = { min: 1, max: 1_000_000, unit: 'attempts' }
const durationRange = { min: 1, max: 365 * day, unit: 'seconds' }
