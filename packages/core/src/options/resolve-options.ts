import { readDpop } from '../dpop/dpop-options.js'
import { createStderrReport } from '../errors/report-to-stderr.js'
import { generateSecret } from '../keys/key-ring.js'
import { readServiceKeys } from '../keys/read-key-ring.js'
import { readLimiter, readRateLimits } from '../limits/rate-limits.js'
import {
  createIntegerReader,
  invalidOption,
  type OptionReaders,
  optionError,
  readBoolean,
  readFunction,
  readMembers,
  readPort,
  readText,
} from '../option-checks.js'
import { sessionStorageMethods } from '../ports/session-storage.js'
import { readSystem } from '../system.js'
import type { TokenServiceOptions } from './token-service-options.js'

const day = 24 * 60 * 60
const tenYears = 3_650 * day

const usersFix = 'pass `passwordUsers({ findByUsername, findById })` or `knexUsers(knex, { table, columns })`.'
const storageFix =
  'pass `memoryStorage()` for first steps, or wrap your client: `knexStorage(knex)`, `sqlStorage(executor)` or `redisStorage(client)`.'

/** Reads the option `issuer` into a list: the current issuer, then former ones. */
export const readIssuers = (name: string, issuer: string | readonly string[]): readonly [string, ...string[]] => {
  if (!Array.isArray(issuer)) return [readIssuer(name, issuer)]
  const [first, ...others] = issuer.map((one: unknown, position) => readIssuer(`${name}[${position}]`, one))
  if (first === undefined) throw invalidOption(name, 'is an empty list', 'pass at least one issuer.')
  return [first, ...others]
}

// The longest issuer fits into an index of every database, next to the longest user id.
const readIssuer = (name: string, issuer: unknown): string => {
  if (typeof issuer === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(issuer)) return issuer
  throw optionError(
    name,
    'text of 1 to 200 characters without control characters, such as "https://api.example.com"',
    issuer,
  )
}

const readPurgeInterval = createIntegerReader({ min: 60, max: 7 * day, default: day, unit: 'seconds' })

/** The options of a token service, with their readers. */
export const serviceOptions = {
  secret: (_, secret) => secret,
  issuer: readIssuers,
  users: (name, users) => readPort(name, users, ['findByUsername', 'findById', 'verifyPassword'], usersFix),
  storage: (name, storage) => {
    readLimiter(`${name}.limiter`, readPort(name, storage, sessionStorageMethods, storageFix).limiter)
    return storage
  },
  audience: (name, audience) => (audience === undefined ? undefined : readText(name, audience, 'a non-empty string')),
  algorithm: (_, algorithm) => algorithm,
  keys: (_, keys) => keys,
  accessTokenLifetimeSeconds: createIntegerReader({ min: 1, max: 30 * day, default: undefined, unit: 'seconds' }),
  sessionIdleTimeoutSeconds: createIntegerReader({ min: 1, max: tenYears, default: undefined, unit: 'seconds' }),
  sessionAbsoluteTimeoutSeconds: createIntegerReader({ min: 1, max: tenYears, default: 90 * day, unit: 'seconds' }),
  refreshGraceSeconds: createIntegerReader({ min: 0, max: 300, default: 30, unit: 'seconds' }),
  endSessionOnRepeatFromOtherNetwork: readBoolean,
  clockToleranceSeconds: createIntegerReader({ min: 0, max: 60, default: 0, unit: 'seconds' }),
  callTimeoutMs: createIntegerReader({ min: 10, max: 60_000, default: 1_000, unit: 'milliseconds' }),
  maxSessionsPerUser: createIntegerReader({ min: 1, max: 1_000, default: 50, unit: 'sessions' }),
  dpop: (_, dpop) => dpop,
  purgeIntervalSeconds: (name, seconds) => seconds !== false && readPurgeInterval(name, seconds),
  rateLimits: (_, rateLimits) => readRateLimits(rateLimits),
  claims: (name, claims) => readFunction(name, claims),
  profile: (name, profile) => readFunction(name, profile),
  onError: (name, onError) => readFunction(name, onError),
  onEvent: (name, onEvent) => readFunction(name, onEvent),
} satisfies OptionReaders<TokenServiceOptions>

/**
 * Checks the options of a token service, whose names were checked, and applies their defaults.
 * Options of keys and rate limits are checked in `keys/read-key-ring.ts` and
 * `limits/rate-limits.ts`.
 *
 * @throws TypeError that names the option, what was expected and what was received, and never shows
 *   a secret
 */
export const resolveOptions = (options: TokenServiceOptions) => {
  const {
    secret,
    algorithm,
    keys,
    issuer: issuers,
    dpop,
    rateLimits,
    onError,
    ...read
  } = readMembers(options, serviceOptions)
  const [issuer] = issuers
  const system = readSystem(options)
  if (issuers.some((one) => [secret].flat().includes(one)))
    throw invalidOption('secret', 'is the issuer, which every token names', generateSecret)
  return Object.freeze({
    ...read,
    ...resolveLifetimes(read),
    ...readServiceKeys({ secret, algorithm, keys }),
    issuer,
    issuers,
    dpop: readDpop(dpop, issuer),
    rateLimits: rateLimits && { ...rateLimits, limiter: rateLimits.limiter ?? read.storage.limiter },
    onError: onError ?? createStderrReport(system),
    system,
  })
}

/** The options with every default applied. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

/** The lifetimes as they were given. */
interface GivenLifetimes {
  readonly accessTokenLifetimeSeconds: number | undefined
  readonly sessionIdleTimeoutSeconds: number | undefined
  readonly sessionAbsoluteTimeoutSeconds: number
}

// A default is at most what contains it. A given value beyond it would have no effect.
const resolveLifetimes = (given: GivenLifetimes) => {
  const { sessionAbsoluteTimeoutSeconds: absolute } = given
  const { sessionIdleTimeoutSeconds: idle = Math.min(30 * day, absolute) } = given
  const { accessTokenLifetimeSeconds: access = Math.min(3_600, idle) } = given
  const refuse = (name: keyof GivenLifetimes, limit: keyof GivenLifetimes) =>
    invalidOption(name, `is longer than \`${limit}\``, 'no session lasts that long: lower one, or raise the other.')
  if (idle > absolute) throw refuse('sessionIdleTimeoutSeconds', 'sessionAbsoluteTimeoutSeconds')
  if (access > idle) throw refuse('accessTokenLifetimeSeconds', 'sessionIdleTimeoutSeconds')
  return { accessTokenLifetimeSeconds: access, sessionIdleTimeoutSeconds: idle }
}
