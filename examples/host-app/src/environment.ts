import { fileURLToPath } from 'node:url'

/** An error that the operator can fix. Its message is for the operator, without the stack. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Runs a step of the start. Throws a {@link StartError} that names the step, and the code or the message of the cause. */
export const explainFailure = async <T>(step: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (cause) {
    throw new StartError(`${step}: ${toReason(cause)}`, { cause })
  }
}

const toReason = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // knex's message says that the pool may be full. Here the pool is empty.
  if (cause.name === 'KnexTimeoutError') return 'no response'
  return 'code' in cause && cause.code ? String(cause.code) : cause.message
}

type Variables = Readonly<Record<string, string | undefined>>

/** The settings of the example site, which its README describes. `undefined` takes the default of jwt-auth. */
export type HostEnvironment = ReturnType<typeof parseEnvironment>

const defaultDatabaseUrl = `sqlite:${fileURLToPath(new URL('../data/host.sqlite', import.meta.url))}`
const thirtyDays = 2_592_000
const tenYears = 315_360_000

/** Parses the environment variables of the example site. Throws a {@link StartError} that names every wrong variable. */
export const parseEnvironment = (variables: Variables = process.env) => {
  const faults: string[] = []

  const parse = <T>(name: string, expected: string, toValue: (text: string) => T | undefined): T | undefined => {
    const text = variables[name]
    if (text === undefined || text === '') return undefined
    const value = toValue(text)
    if (value === undefined) faults.push(`${name} must be ${expected}.`)
    return value
  }
  const parseText = (name: string, expected: string, isValid: (text: string) => boolean) =>
    parse(name, expected, (text) => (isValid(text) ? text : undefined))
  const parseInteger = (name: string, [min, max]: readonly [number, number]) =>
    parse(name, `a whole number from ${min} to ${max}`, (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    })

  // Clients resolve `.` and `..` before they send a path.
  const isBasePath = (text: string) => /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(text)
  const databases = 'sqlite:FILE, sqlite::memory:, postgres://…, mysql://…, redis://…, rediss://… or memory:'
  const sessionsUrl = parseText('DATABASE_URL', databases, isDatabaseUrl) ?? defaultDatabaseUrl
  const environment = {
    host: variables['HOST'] || '127.0.0.1',
    port: parseInteger('PORT', [0, 65_535]) ?? 3_000,
    basePath: parseText('BASE_PATH', 'a path such as /wp-json', isBasePath) ?? '',
    sessionsUrl,
    // Redis has no tables. The users in the SQLite file survive a restart like their sessions in Redis.
    usersUrl: isRedisUrl(sessionsUrl) ? defaultDatabaseUrl : sessionsUrl,
    secret: parseText('JWT_AUTH_SECRET', 'at least 32 bytes long', (text) => Buffer.byteLength(text) >= 32),
    issuer: variables['ISSUER'] || 'https://host-app.example',
    publicUrls: parse('PUBLIC_URLS', 'URLs such as https://shop.example, separated by commas', parseUrls),
    lifetimes: {
      accessTokenLifetimeSeconds: parseInteger('ACCESS_TOKEN_SECONDS', [1, thirtyDays]),
      sessionIdleTimeoutSeconds: parseInteger('SESSION_IDLE_SECONDS', [1, tenYears]),
      sessionAbsoluteTimeoutSeconds: parseInteger('SESSION_MAX_SECONDS', [1, tenYears]),
      refreshGraceSeconds: parseInteger('REFRESH_GRACE_SECONDS', [0, 300]),
    },
    bcryptCost: parseInteger('BCRYPT_COST', [4, 15]) ?? 12,
    isRateLimited: parseText('RATE_LIMIT', 'on or off', (text) => text === 'on' || text === 'off') !== 'off',
    otherInstance: parseText('OTHER_INSTANCE', 'a URL such as http://127.0.0.1:3001', isHttpUrl),
    trustProxy: toTrustProxy(variables['TRUST_PROXY']),
  }
  if (faults.length > 0) throw new StartError(faults.join(' '))
  return environment
}

/** Returns whether the sessions are in Redis. */
export const isRedisUrl = (url: string): boolean => /^rediss?:/.test(url)

const isDatabaseUrl = (text: string): boolean =>
  /^(memory:$|sqlite:.)/.test(text) ||
  (/^(postgres|postgresql|mysql|rediss?):\/\/[^/]/.test(text) && URL.canParse(text))

const isHttpUrl = (text: string): boolean => /^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*$/.test(text) && URL.canParse(text)

const splitList = (text: string): readonly string[] => text.split(',').map((part) => part.trim())

const parseUrls = (text: string): readonly string[] | undefined => {
  const urls = splitList(text)
  return urls.every(isHttpUrl) ? urls : undefined
}

// Never `true`: any client could then choose its address. Express refuses text that is no address.
const toTrustProxy = (text = ''): number | readonly string[] | false =>
  /^\d+$/.test(text) ? Number(text) : text !== '' && splitList(text)
