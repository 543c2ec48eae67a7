import { optionError } from '../errors/option-error.js'
import type { CreateLimiter, Limit } from '../limits/limiter.js'
import type { RateLimitOptions, RateLimitPolicy, RateLimits } from '../limits/rate-limit-policy.js'
import { checkOptionNames, readFunction, readInteger, readPort } from './option-checks.js'

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
}

/** Reads the option `rateLimits`; `undefined` when it is `false`. The reasons for the numbers: docs/decisions/0028. */
export const readRateLimits = (given: RateLimitOptions | false = {}): RateLimitPolicy | undefined => {
  if (given === false) return undefined
  if (typeof given !== 'object' || given === null) throw optionError('rateLimits', 'false or an object', given)
  checkOptionNames(given, optionNames, 'rateLimits')
  return Object.freeze({
    accountAndNetwork: readLimit('accountAndNetwork', given, { points: 10, durationSeconds: 3 * hour }),
    account: readLimit('account', given, { points: 100, durationSeconds: day }),
    network: readLimit('network', given, { points: 100, durationSeconds: hour }),
    knownNetwork: readLimit('knownNetwork', given, { points: 300, durationSeconds: hour }),
    successfulLogins: readLimit('successfulLogins', given, { points: 60, durationSeconds: hour }),
    tokens: readLimit('tokens', given, { points: 1_000, durationSeconds: 60 }),
    knownNetworkSeconds: readInteger('rateLimits.knownNetworkSeconds', given.knownNetworkSeconds, {
      min: 60,
      max: longestWindow,
      default: 90 * day,
      unit: 'seconds',
    }),
    limiter: readCreateLimiter(given.limiter),
  })
}

// A limiter that lacks a method would fail at the first login.
const readCreateLimiter = (given: CreateLimiter | undefined): CreateLimiter | undefined => {
  if (given === undefined) return undefined
  const create = readFunction('rateLimits.limiter', given, given)
  return (options) => readPort('rateLimits.limiter(…)', create(options), ['consume', 'reward', 'penalty', 'get', 'set'])
}

const limitNames: Record<keyof Limit, true> = { points: true, durationSeconds: true }

const readLimit = (name: keyof RateLimits, options: RateLimitOptions, fallback: Limit): Limit => {
  const path = `rateLimits.${name}`
  const limit = options[name]
  if (limit === undefined) return fallback
  if (typeof limit !== 'object' || limit === null)
    throw optionError(path, 'an object { points, durationSeconds }', limit)
  checkOptionNames(limit, limitNames, path)
  return Object.freeze({
    points: readInteger(`${path}.points`, limit.points, {
      min: 1,
      max: 1_000_000,
      default: fallback.points,
      unit: 'attempts',
    }),
    durationSeconds: readInteger(`${path}.durationSeconds`, limit.durationSeconds, {
      min: 1,
      max: longestWindow,
      default: fallback.durationSeconds,
      unit: 'seconds',
    }),
  })
}
