import { createStderrReport } from '../errors/report-to-stderr.js'
import { readKeyRing, readServiceSecrets } from '../keys/read-key-ring.js'
import { readRateLimits } from '../limits/rate-limits.js'
import {
  checkOptionNames,
  invalidOption,
  isPromise,
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
import type { ResolvedOptions, TokenServiceOptions } from './token-service-options.js'

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
 * Checks the options of a token service and applies their defaults. Options of keys and rate limits are checked in
 * `keys/read-key-ring.ts` and `limits/rate-limits.ts`.
 *
 * @throws TypeError that names the option, what was expected and what was received, and never shows a secret
 */
export const resolveOptions = (options: TokenServiceOptions): ResolvedOptions => {
  checkOptionNames(options, tokenServiceOptionNames, 'createTokenService')
  const system = readSystem(options.system)
  const serviceSecrets = readServiceSecrets(options.serviceSecret)
  const integer = (name: keyof typeof ranges): number => readInteger(name, options[name], ranges[name])
  return Object.freeze({
    keyRing: readKeyRing(options, serviceSecrets),
    serviceSecrets,
    issuer: readIssuer('issuer', options.issuer),
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
    rateLimits: readRateLimits(options.rateLimits),
    claims: readFunction<TokenServiceOptions['claims']>('claims', options.claims, undefined),
    onError: readFunction('onError', options.onError, createStderrReport(system)),
    onEvent: readFunction<TokenServiceOptions['onEvent']>('onEvent', options.onEvent, undefined),
    system,
  })
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

const readFormerIssuers = ({ issuer, formerIssuers = [] }: TokenServiceOptions): readonly string[] => {
  if (!Array.isArray(formerIssuers)) throw optionError('formerIssuers', 'a list of issuers', formerIssuers)
  const read = formerIssuers.map((former: unknown, position) => readIssuer(`formerIssuers[${position}]`, former))
  const repeated = read.findIndex((former, position) => former === issuer || read.indexOf(former) !== position)
  if (repeated < 0) return Object.freeze(read)
  throw optionError(`formerIssuers[${repeated}]`, 'an issuer that is listed nowhere else', read[repeated])
}

/** The names of the options of a token service. Complete by its type: a new option must be listed here. */
export const tokenServiceOptionNames: Record<keyof TokenServiceOptions, true> = {
  secret: true,
  issuer: true,
  formerIssuers: true,
  users: true,
  storage: true,
  audience: true,
  algorithm: true,
  keys: true,
  serviceSecret: true,
  accessTokenLifetimeSeconds: true,
  sessionIdleTimeoutSeconds: true,
  sessionAbsoluteTimeoutSeconds: true,
  refreshGraceSeconds: true,
  endSessionOnRepeatFromOtherNetwork: true,
  clockToleranceSeconds: true,
  storageTimeoutMs: true,
  maxSessionsPerUser: true,
  purgeIntervalSeconds: true,
  rateLimits: true,
  claims: true,
  onError: true,
  onEvent: true,
  system: true,
}

/** Reads the option `storage`. For a client or an executor, the error names the call that creates a storage from it. */
export const readStorage = (storage: SessionStorage): SessionStorage => {
  if (storage === undefined) {
    const fix = 'pass `memoryStorage()` for first steps, or `knexStorage(knex)` or `redisStorage(client)`.'
    throw invalidOption('storage', 'is missing', fix)
  }
  refuseUnwrapped('storage', storage, {
    knex: 'knexStorage(knex)',
    redis: 'redisStorage(client)',
    sql: 'sqlStorage(pgExecutor(pool))',
  })
  return readPort('storage', storage, sessionStorageMethods)
}

const directoryMethods = ['findByUsername', 'findById', 'verifyPassword'] as const

/** Reads the option `users`. For a knex instance or an array, the error names the call that creates a directory from it. */
export const readUsers = (users: UserDirectory): UserDirectory => {
  if (users === undefined) {
    const fix = 'pass `passwordUsers({ findByUsername, findById })` or `knexUsers(knex, { table, columns })`.'
    throw invalidOption('users', 'is missing', fix)
  }
  refuseUnwrapped('users', users, { knex: "knexUsers(knex, { table: 'users', columns: { … } })" })
  const wrap = 'wrap your two functions: `passwordUsers({ findByUsername, findById })`.'
  if (Array.isArray(users)) throw invalidOption('users', 'is an array', wrap)
  if (lacksOnly('verifyPassword', users)) throw invalidOption('users', 'lacks the method verifyPassword', wrap)
  return readPort('users', users, directoryMethods)
}

/** The calls that create a port from a client. */
interface Wrappers {
  readonly knex: string
  readonly redis?: string
  readonly sql?: string
}

const refuseUnwrapped = (name: string, value: unknown, { knex, redis, sql }: Wrappers): void => {
  if (isPromise(value)) throw invalidOption(name, 'is a promise', `await it: \`${name}: await …\`.`)
  if (hasMember(value, 'raw') && hasMember(value, 'client')) {
    throw invalidOption(name, 'is a knex instance', `wrap it: \`${name}: ${knex}\`.`)
  }
  if (redis !== undefined && hasMember(value, 'sendCommand')) {
    throw invalidOption(name, 'is a Redis client', `wrap a node-redis client: \`${name}: ${redis}\`.`)
  }
  if (sql !== undefined && hasMember(value, 'dialect') && hasMember(value, 'transaction')) {
    throw invalidOption(name, 'is an executor', `wrap it: \`${name}: sqlStorage(executor)\`.`)
  }
  // A pool of pg or mysql2, postgres.js, and the SQLite drivers.
  if (sql !== undefined && ['query', 'unsafe', 'prepare'].some((method) => hasMember(value, method))) {
    const executors = 'with the executor of your client, from @jwt-auth/storage-sql'
    throw invalidOption(name, 'is a SQL client', `wrap it: \`${name}: ${sql}\`, ${executors}.`)
  }
  if (typeof value !== 'function') return
  if (hasMember(value, 'guard') && hasMember(value, 'sessions')) {
    throw invalidOption(name, 'is what jwtAuth returned', `pass the value that jwtAuth received as \`${name}\`.`)
  }
  const isClass = /^class\b/.test(Function.prototype.toString.call(value))
  const call = `\`${name}: ${isClass ? 'new ' : ''}${value.name || (isClass ? 'Class' : 'create')}(…)\``
  throw invalidOption(
    name,
    isClass ? 'is a class' : 'is a function',
    `${isClass ? 'create an instance' : 'call it'}: ${call}.`,
  )
}

const hasMember = (value: unknown, name: string): boolean =>
  (typeof value === 'function' || (typeof value === 'object' && value !== null)) && name in value

const lacksOnly = (method: (typeof directoryMethods)[number], value: unknown): boolean =>
  hasMember(value, 'findById') && directoryMethods.every((one) => hasMember(value, one) === (one !== method))
