import { readDpop } from '../dpop/dpop-options.js'
import { createStderrReport } from '../errors/report-to-stderr.js'
import { readKeyRing, readServiceSecrets } from '../keys/read-key-ring.js'
import { readRateLimits } from '../limits/rate-limits.js'
import {
  checkOptionNames,
  invalidOption,
  optionError,
  readBoolean,
  readFunction,
  readInteger,
  readPort,
  readSystem,
  readText,
} from '../option-checks.js'
import { type SessionStorage, sessionStorageMethods } from '../ports/session-storage.js'
import type { UserDirectory } from '../ports/user-directory.js'
import type { TokenServiceOptions } from './token-service-options.js'

const day = 24 * 60 * 60
const tenYears = 3_650 * day

const ranges = {
  accessTokenLifetimeSeconds: { min: 1, max: 30 * day, default: 3_600, unit: 'seconds' },
  sessionIdleTimeoutSeconds: { min: 1, max: tenYears, default: 30 * day, unit: 'seconds' },
  sessionAbsoluteTimeoutSeconds: { min: 1, max: tenYears, default: 90 * day, unit: 'seconds' },
  refreshGraceSeconds: { min: 0, max: 300, default: 30, unit: 'seconds' },
  clockToleranceSeconds: { min: 0, max: 60, default: 0, unit: 'seconds' },
  storageTimeoutMs: { min: 10, max: 60_000, default: 1_000, unit: 'milliseconds' },
  maxSessionsPerUser: { min: 1, max: 1_000, default: 50, unit: 'sessions' },
} as const

const purgeInterval = { min: 60, max: 7 * day, default: undefined, unit: 'seconds' }

/**
 * Checks the options of a token service and applies their defaults. Options of keys and rate limits
 * are checked in `keys/read-key-ring.ts` and `limits/rate-limits.ts`.
 *
 * @throws TypeError that names the option, what was expected and what was received, and never shows
 *   a secret
 */
export const resolveOptions = (options: TokenServiceOptions) => {
  checkOptionNames(options, tokenServiceOptionNames, 'createTokenService')
  const system = readSystem(options.system)
  const serviceSecrets = readServiceSecrets(options.serviceSecret)
  const issuer = readIssuer('issuer', options.issuer)
  const integer = (name: keyof typeof ranges): number => readInteger(name, options[name], ranges[name])
  // Nonces derived from keys would differ while the instances have different active keys.
  if (options.dpop !== undefined && options.keys !== undefined && serviceSecrets === undefined)
    throw invalidOption('dpop', 'is set together with `keys`', 'set `serviceSecret` too, the same on all instances.')
  return Object.freeze({
    keyRing: readKeyRing(options, serviceSecrets),
    serviceSecrets,
    issuer,
    formerIssuers: readFormerIssuers(options),
    users: readUsers(options.users),
    storage: readStorage(options.storage),
    audience: options.audience === undefined ? undefined : readText('audience', options.audience, 'a non-empty string'),
    accessTokenLifetimeSeconds: integer('accessTokenLifetimeSeconds'),
    sessionIdleTimeoutSeconds: integer('sessionIdleTimeoutSeconds'),
    sessionAbsoluteTimeoutSeconds: integer('sessionAbsoluteTimeoutSeconds'),
    refreshGraceSeconds: integer('refreshGraceSeconds'),
    endSessionOnRepeatFromOtherNetwork: readBoolean(
      'endSessionOnRepeatFromOtherNetwork',
      options.endSessionOnRepeatFromOtherNetwork,
    ),
    clockToleranceSeconds: integer('clockToleranceSeconds'),
    storageTimeoutMs: integer('storageTimeoutMs'),
    maxSessionsPerUser: integer('maxSessionsPerUser'),
    purgeIntervalSeconds: readInteger('purgeIntervalSeconds', options.purgeIntervalSeconds, purgeInterval),
    dpop: readDpop(options.dpop, issuer),
    rateLimits: readRateLimits(options.rateLimits),
    claims: readFunction<TokenServiceOptions['claims']>('claims', options.claims, undefined),
    onError: readFunction('onError', options.onError, createStderrReport(system)),
    onEvent: readFunction<TokenServiceOptions['onEvent']>('onEvent', options.onEvent, undefined),
    system,
  })
}

/** The options with every default applied. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

// The longest issuer fits into an index of every database, next to the longest user id.
const readIssuer = (name: string, issuer: unknown): string => {
  if (typeof issuer === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(issuer)) return issuer
  throw optionError(
    name,
    'text of 1 to 200 characters without control characters, such as "https://api.example.com"',
    issuer,
  )
}

const readFormerIssuers = ({ issuer, formerIssuers = [] }: TokenServiceOptions): readonly string[] => {
  if (!Array.isArray(formerIssuers)) throw optionError('formerIssuers', 'a list of issuers', formerIssuers)
  const read = formerIssuers.map((former: unknown, position) => readIssuer(`formerIssuers[${position}]`, former))
  const repeated = read.findIndex((former, position) => former === issuer || read.indexOf(former) !== position)
  if (repeated < 0) return Object.freeze(read)
  throw optionError(`formerIssuers[${repeated}]`, 'an issuer that is listed nowhere else', read[repeated])
}

/**
 * The names of the options of a token service. Complete by its type: a new option must be listed
 * here.
 */
export const tokenServiceOptionNames: Record<keyof TokenServiceOptions, unknown> = {
  ...ranges,
  secret: true,
  issuer: true,
  formerIssuers: true,
  users: true,
  storage: true,
  audience: true,
  algorithm: true,
  keys: true,
  serviceSecret: true,
  endSessionOnRepeatFromOtherNetwork: true,
  purgeIntervalSeconds: true,
  dpop: true,
  rateLimits: true,
  claims: true,
  onError: true,
  onEvent: true,
  system: true,
}

const readStorage = (storage: SessionStorage): SessionStorage => {
  const wrap = 'wrap your client: `knexStorage(knex)`, `sqlStorage(executor)` or `redisStorage(client)`.'
  return readPort('storage', storage, sessionStorageMethods, `pass \`memoryStorage()\` for first steps, or ${wrap}`)
}

const readUsers = (users: UserDirectory): UserDirectory => {
  const fix = 'pass `passwordUsers({ findByUsername, findById })` or `knexUsers(knex, { table, columns })`.'
  return readPort('users', users, ['findByUsername', 'findById', 'verifyPassword'], fix)
}
