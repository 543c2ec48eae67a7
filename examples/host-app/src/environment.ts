import { isIP, isIPv4 } from 'node:net'
import { fileURLToPath } from 'node:url'

/** The settings of the example site. `undefined` takes the default of jwt-auth. */
export interface HostEnvironment {
  /** The address or name to listen on. */
  readonly host: string
  /** 0 to 65535. The system selects a free port for 0. */
  readonly port: number
  /** The path of all routes: empty, or a path without a slash at its end. */
  readonly basePath: string
  /** The database of the users and sessions. */
  readonly databaseUrl: string
  /** The secret of the access tokens, at least 32 bytes. `undefined` takes a random secret. */
  readonly secret: string | undefined
  /** The URL of the service in its tokens. */
  readonly issuer: string
  /** The URLs of the root of the service as browsers see it. `undefined` takes the address that the site listens on. */
  readonly publicUrls: readonly string[] | undefined
  /** 1 to 2,592,000 (30 days). */
  readonly accessTokenLifetimeSeconds: number | undefined
  /** 1 to 315,360,000 (ten years). */
  readonly sessionIdleTimeoutSeconds: number | undefined
  /** 1 to 315,360,000 (ten years). */
  readonly sessionAbsoluteTimeoutSeconds: number | undefined
  /** 0 to 300. */
  readonly refreshGraceSeconds: number | undefined
  /** The cost of new password hashes, 4 to 15. */
  readonly bcryptCost: number
  /** Whether failed attempts are limited. */
  readonly rateLimit: boolean
  /** The URL of another instance of the service, without a slash at its end. The page can end a session there. */
  readonly otherInstance: string | undefined
  /** Express's `trust proxy`: the number of proxies, or their addresses. `undefined` trusts no proxy. */
  readonly trustProxy: number | readonly string[] | undefined
}

/** The error for wrong environment variables. Its message has one sentence for each variable. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
}

type Variables = Readonly<Record<string, string | undefined>>

/** The URL of this example's SQLite file. */
export const defaultDatabaseUrl = `sqlite:${fileURLToPath(new URL('../data/host.sqlite', import.meta.url))}`
const thirtyDays = 2_592_000
const tenYears = 315_360_000

/** Parses the environment variables of the example site. Throws an {@link EnvironmentError} that names every wrong variable. */
export const parseEnvironment = (variables: Variables = process.env): HostEnvironment => {
  const faults: string[] = []

  const parseVariable = <T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = variables[name]
    if (text === undefined || text === '') return undefined
    const value = parse(text)
    if (value === undefined) faults.push(`${name} must be ${expected}.`)
    return value
  }

  const parseInteger = (name: string, [min, max]: readonly [number, number]): number | undefined =>
    parseVariable(name, `a whole number from ${min} to ${max}`, (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    })

  const environment: HostEnvironment = {
    host: parseVariable('HOST', 'an address or a name to listen on', parseHost) ?? '127.0.0.1',
    port: parseInteger('PORT', [0, 65_535]) ?? 3_000,
    basePath:
      parseVariable(
        'BASE_PATH',
        'a path such as /wp-json, with a slash at its start and none at its end',
        parseBasePath,
      ) ?? '',
    databaseUrl:
      parseVariable(
        'DATABASE_URL',
        'sqlite:FILE, sqlite::memory:, postgres://…, mysql://…, redis://…, rediss://… or memory:',
        parseDatabaseUrl,
      ) ?? defaultDatabaseUrl,
    secret: parseVariable('JWT_AUTH_SECRET', 'at least 32 bytes long', parseSecret),
    issuer: variables['ISSUER'] || 'https://host-app.example',
    publicUrls: parseVariable(
      'PUBLIC_URLS',
      'URLs such as https://shop.example, separated by commas, without a slash at their ends',
      parsePublicUrls,
    ),
    accessTokenLifetimeSeconds: parseInteger('ACCESS_TOKEN_SECONDS', [1, thirtyDays]),
    sessionIdleTimeoutSeconds: parseInteger('SESSION_IDLE_SECONDS', [1, tenYears]),
    sessionAbsoluteTimeoutSeconds: parseInteger('SESSION_MAX_SECONDS', [1, tenYears]),
    refreshGraceSeconds: parseInteger('REFRESH_GRACE_SECONDS', [0, 300]),
    bcryptCost: parseInteger('BCRYPT_COST', [4, 15]) ?? 12,
    rateLimit: parseVariable('RATE_LIMIT', 'on or off', parseSwitch) !== 'off',
    otherInstance: parseVariable(
      'OTHER_INSTANCE',
      'the URL of another instance, such as http://127.0.0.1:3001, without a slash at its end',
      parseInstance,
    ),
    trustProxy: parseVariable(
      'TRUST_PROXY',
      'the number of proxies (1 to 16), or their addresses and subnets, separated by commas',
      parseTrustProxy,
    ),
  }
  if (faults.length > 0) throw new EnvironmentError(faults.join(' '))
  return environment
}

const parseHost = (text: string): string | undefined => (/^[\w.:%-]+$/.test(text) ? text : undefined)

// Clients resolve `.` and `..` before they send a path.
const parseBasePath = (text: string): string | undefined =>
  /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(text) ? text : undefined

const parseDatabaseUrl = (text: string): string | undefined =>
  text === 'memory:' ||
  /^sqlite:./.test(text) ||
  (/^(postgres|postgresql|mysql|rediss?):\/\/[^/]/.test(text) && URL.canParse(text))
    ? text
    : undefined

const parseSecret = (text: string): string | undefined => (Buffer.byteLength(text) >= 32 ? text : undefined)

const parseInstance = (text: string): string | undefined =>
  /^https?:\/\/[\w.:[\]-]+(\/[\w.~-]+)*$/.test(text) && URL.canParse(text) ? text : undefined

const parsePublicUrls = (text: string): readonly string[] | undefined => {
  const urls = text.split(',').map((url) => url.trim())
  return urls.every((url) => parseInstance(url) !== undefined) ? urls : undefined
}

// Never `true`: any client could then choose its address.
const parseTrustProxy = (text: string): number | readonly string[] | undefined => {
  if (/^\d+$/.test(text)) return Number(text) >= 1 && Number(text) <= 16 ? Number(text) : undefined
  const addresses = text.split(',').map((address) => address.trim())
  return addresses.every((address) => addressNames.has(address) || isSubnet(address)) ? addresses : undefined
}

const addressNames: ReadonlySet<string> = new Set(['loopback', 'linklocal', 'uniquelocal'])

const isSubnet = (text: string): boolean => {
  const [address = '', prefix, ...others] = text.split('/')
  const longest = isIPv4(address) ? 32 : 128
  const isPrefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= longest)
  return isIP(address) !== 0 && isPrefix && others.length === 0
}

const parseSwitch = (text: string): 'on' | 'off' | undefined => (text === 'on' || text === 'off' ? text : undefined)
