import { isIP, isIPv4 } from 'node:net'
import { fileURLToPath } from 'node:url'

/** What the host app is told from outside. `undefined` leaves a choice to the SDK. */
export interface HostEnvironment {
  readonly host: string
  readonly port: number
  /** Everything is mounted below it; empty, or a path without a slash at its end. */
  readonly basePath: string
  readonly databaseUrl: string
  readonly secret: string | undefined
  readonly issuer: string
  readonly accessTokenLifetimeSeconds: number | undefined
  readonly sessionIdleTimeoutSeconds: number | undefined
  readonly sessionAbsoluteTimeoutSeconds: number | undefined
  readonly refreshGraceSeconds: number | undefined
  readonly bcryptCost: number
  /** Whether failed attempts are limited. */
  readonly rateLimit: boolean
  /** Express's `trust proxy`: how many proxies there are, or their addresses. `undefined` trusts none. */
  readonly trustProxy: number | readonly string[] | undefined
}

/** Wrong variables, in a sentence each. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
}

type Variables = Readonly<Record<string, string | undefined>>

/** The SQLite file of this example. */
export const defaultDatabaseUrl = `sqlite:${fileURLToPath(new URL('../data/host.sqlite', import.meta.url))}`
const thirtyDays = 2_592_000
const tenYears = 315_360_000

/** Reads the variables of the host app. Throws an {@link EnvironmentError} that names every wrong one. */
export const readEnvironment = (variables: Variables = process.env): HostEnvironment => {
  const faults: string[] = []

  const read = <T>(name: string, expected: string, parse: (text: string) => T | undefined): T | undefined => {
    const text = variables[name]
    if (text === undefined || text === '') return undefined
    const value = parse(text)
    if (value === undefined) faults.push(`${name} must be ${expected}.`)
    return value
  }

  const readWhole = (name: string, [min, max]: readonly [number, number]): number | undefined =>
    read(name, `a whole number from ${min} to ${max}`, (text) => {
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
      return value >= min && value <= max ? value : undefined
    })

  const environment: HostEnvironment = {
    host: read('HOST', 'an address or a name to listen at', readHost) ?? '127.0.0.1',
    port: readWhole('PORT', [0, 65_535]) ?? 3_000,
    basePath: read('BASE_PATH', 'a path such as /wp-json, with a slash before and none after', readBasePath) ?? '',
    databaseUrl:
      read(
        'DATABASE_URL',
        'sqlite:FILE, sqlite::memory:, postgres://…, mysql://…, redis://…, rediss://… or memory:',
        readDatabaseUrl,
      ) ?? defaultDatabaseUrl,
    secret: read('JWT_AUTH_SECRET', 'at least 32 bytes long', readSecret),
    issuer: variables['ISSUER'] || 'https://host-app.example',
    accessTokenLifetimeSeconds: readWhole('ACCESS_TOKEN_SECONDS', [1, thirtyDays]),
    sessionIdleTimeoutSeconds: readWhole('SESSION_IDLE_SECONDS', [1, tenYears]),
    sessionAbsoluteTimeoutSeconds: readWhole('SESSION_MAX_SECONDS', [1, tenYears]),
    refreshGraceSeconds: readWhole('REFRESH_GRACE_SECONDS', [0, 300]),
    bcryptCost: readWhole('BCRYPT_COST', [4, 15]) ?? 12,
    rateLimit: read('RATE_LIMIT', 'on or off', readSwitch) !== 'off',
    trustProxy: read(
      'TRUST_PROXY',
      'the number of proxies (1 to 16), or their addresses and subnets, separated by commas',
      readTrustProxy,
    ),
  }
  if (faults.length > 0) throw new EnvironmentError(faults.join(' '))
  return environment
}

const readHost = (text: string): string | undefined => (/^[\w.:%-]+$/.test(text) ? text : undefined)

// Clients resolve `.` and `..` before they send a path.
const readBasePath = (text: string): string | undefined =>
  /^(\/(?!\.\.?(\/|$))[\w.~-]+)+$/.test(text) ? text : undefined

const readDatabaseUrl = (text: string): string | undefined =>
  text === 'memory:' ||
  /^sqlite:./.test(text) ||
  (/^(postgres|postgresql|mysql|rediss?):\/\/[^/]/.test(text) && URL.canParse(text))
    ? text
    : undefined

const readSecret = (text: string): string | undefined => (Buffer.byteLength(text) >= 32 ? text : undefined)

// Never `true`, which lets every client choose its address.
const readTrustProxy = (text: string): number | readonly string[] | undefined => {
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

const readSwitch = (text: string): 'on' | 'off' | undefined => (text === 'on' || text === 'off' ? text : undefined)
