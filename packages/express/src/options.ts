import type { IncomingMessage } from 'node:http'
import type { Device, TokenServiceOptions, User } from '@jwt-auth/core'
import {
  type CookiePolicy,
  checkOptionNames,
  defaultNamespace,
  defaultRealm,
  getMember,
  isPlainHttp,
  type OptionReaders,
  optionError,
  type ResolvedOptions,
  readBoolean,
  readFunction,
  readMembers,
  readOptions,
  serviceOptions,
  usageError,
} from '@jwt-auth/core/internal'
import { createAddressReader } from './client-address.js'
import type { ErrorHandling } from './failures.js'

/**
 * The options of `jwtAuth`: the options of the token service, and those of HTTP. TypeScript infers
 * `U`, your type of a user, from `users`, and `C`, the type of your claims, from `claims`.
 */
export interface JwtAuthOptions<U extends User = User, C extends object = object> extends TokenServiceOptions<U, C> {
  /**
   * The path of the routes, below the path where the middleware is mounted.
   * @default '/jwt-auth/v1'
   */
  readonly namespace?: string | undefined
  /** The realm of `WWW-Authenticate`: printable ASCII without `"` and `\`. @default 'jwt-auth' */
  readonly realm?: string | undefined
  /**
   * Who responds to a failed request on the routes, and to a request that a guard rejects: jwt-auth
   * (`respond`), or the error handler of your application (`forward`). `onError` is called in both
   * cases.
   * @default 'respond'
   */
  readonly errorHandling?: ErrorHandling | undefined
  /** Whether `application/x-www-form-urlencoded` bodies are accepted too. @default false */
  readonly formBodies?: boolean | undefined
  /**
   * Returns the client's address, by which failed attempts are limited. Read only headers that your
   * own proxy sets, because a client can send any header. All requests for which the result is no
   * IP address share one limit. If the function throws, the request fails with 500.
   * @default `req.ip`, which depends on `trust proxy` in Express, or the address of the socket
   * @example
   * ```ts
   * jwtAuth({ …, clientAddress: (req) => req.headers['cf-connecting-ip'] }) // behind Cloudflare
   * ```
   */
  readonly clientAddress?: ((req: IncomingMessage) => string | readonly string[] | undefined) | undefined
  /**
   * Returns the value of the header with the access token, such as `Bearer …`, where clients cannot
   * send `Authorization`. Never read a cookie or the query string: browsers send cookies with the
   * requests of other sites, and logs contain URLs (RFC 9700, section 4.3.2). If the function
   * throws, the request fails with 500.
   * @default the `Authorization` header
   * @example
   * ```ts
   * jwtAuth({ …, readAuthorization: (req) => req.headers['x-authorization']?.toString() })
   * ```
   */
  readonly readAuthorization?: ((req: IncomingMessage) => string | undefined) | undefined
  /**
   * Lets browsers keep the refresh token in a cookie that scripts cannot read (`HttpOnly; Secure;
   * SameSite=Strict`). A client asks for it with the header `X-JWT-Auth-Transport: cookie`. `true`
   * stands for `{}`.
   * @default refresh tokens are in bodies only
   * @example
   * ```ts
   * // The API is at https://api.example.com.
   * jwtAuth({ …, cookies: { origins: ['https://app.example.com'] } })
   * ```
   */
  readonly cookies?: CookieOptions | boolean | undefined
  /**
   * Returns what to store about the device of a login or a refresh. @default the `User-Agent`
   * header and the client's address (see `clientAddress`)
   */
  readonly device?: ((req: IncomingMessage) => Device) | undefined
  /**
   * Whether users may list and end their own sessions: `GET /sessions` and `DELETE /sessions/:id`
   * below the namespace.
   * @default false
   */
  readonly sessionRoutes?: boolean | undefined
}

/** The options of refresh tokens in cookies. */
export interface CookieOptions {
  /**
   * The origins of your pages, if they are not served by the origin of the routes. They must be of
   * the same site, and have `https:` unless they are of `localhost`. @default []
   */
  readonly origins?: readonly string[] | undefined
  /**
   * The name of the cookie. Two services of one host need two names. Starts with `__Host-`.
   * @default '__Host-jwt_auth_refresh_token'
   */
  readonly name?: string | undefined
}

/** The property of a service with its HTTP options. */
export const httpOptionsKey: unique symbol = Symbol.for('@jwt-auth/express.http')

/**
 * The property of a service through which `@jwt-auth/testing` signs tokens with changed options.
 * Everybody who has the service can read it, so it contains no key.
 */
export const signingKey: unique symbol = Symbol.for('@jwt-auth/express.signing')

const hasHttpOptions = (auth: object): auth is { readonly [httpOptionsKey]: HttpOptions } => httpOptionsKey in auth

/**
 * Returns the HTTP options of a service.
 *
 * @throws TypeError if `auth` was not created by `jwtAuth`
 */
export const readHttpOptions = (auth: object): HttpOptions => {
  if (hasHttpOptions(auth)) return auth[httpOptionsKey]
  throw usageError('jwtAuth', 'openApiDocument(auth) needs the result of jwtAuth(options).')
}

const readNamespace = (name: string, namespace: unknown = defaultNamespace): string => {
  if (typeof namespace === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(namespace)) return namespace
  throw optionError(name, 'a path such as "/jwt-auth/v1", with a slash before and none after', namespace)
}

const readRealm = (name: string, realm: unknown = defaultRealm): string => {
  if (typeof realm === 'string' && /^[ !#-[\]-~]+$/.test(realm)) return realm
  throw optionError(name, 'printable ASCII without quotes and backslashes', realm)
}

/** Reads the option `errorHandling`. */
export const readErrorHandling = (name: string, errorHandling: unknown): ErrorHandling | undefined => {
  if (errorHandling === undefined || errorHandling === 'respond' || errorHandling === 'forward') return errorHandling
  throw optionError(name, "'respond' or 'forward'", errorHandling)
}

const readOrigins = (name: string, origins: unknown = []): readonly string[] => {
  if (!Array.isArray(origins)) throw optionError(name, 'a list of origins', origins)
  const wrong = origins.findIndex((origin) => !isOrigin(origin))
  if (wrong < 0) return [...origins]
  if (origins[wrong] !== undefined) throw optionError(`${name}[${wrong}]`, expectedOrigin, origins[wrong])
  const fix = 'pass an origin, or set the environment variable that you read it from'
  throw usageError(name, `option \`${name}[${wrong}]\` is missing; ${fix}.`)
}

const expectedOrigin =
  'an origin such as "https://app.example.com", with https: unless it is localhost, in lower case, without a default port, a path or a trailing slash; * is not supported'

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^https?:/.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value &&
  !isPlainHttp(value)

const readCookieName = (name: string, cookie: unknown = '__Host-jwt_auth_refresh_token'): string => {
  if (typeof cookie === 'string' && /^__Host-[\w.-]+$/.test(cookie)) return cookie
  throw optionError(name, 'a name of letters, digits, _, - and . with the prefix __Host-', cookie)
}

const readCookies = (_: string, given: CookieOptions | boolean = false): CookiePolicy | undefined => {
  if (given === false) return undefined
  const cookies = given === true ? {} : given
  return readOptions('`cookies`', cookies, { origins: readOrigins, name: readCookieName }, { prefix: 'cookies.' })
}

const readers = {
  namespace: readNamespace,
  realm: readRealm,
  errorHandling: (name, errorHandling) => readErrorHandling(name, errorHandling) ?? 'respond',
  formBodies: readBoolean,
  cookies: readCookies,
  clientAddress: (name, clientAddress) => readFunction(name, clientAddress),
  readAuthorization: (name, readAuthorization) => readFunction(name, readAuthorization),
  device: (name, device) => readFunction(name, device),
  sessionRoutes: readBoolean,
} satisfies Partial<OptionReaders<JwtAuthOptions>>

/**
 * Checks the names of all options, and the HTTP options. Returns the options of the token service
 * unchecked.
 *
 * @throws TypeError that names the option
 */
export const resolveHttpOptions = (options: JwtAuthOptions) => {
  refuseRequest(options, 'jwtAuth', 'jwtAuth({ secret, issuer, users, storage })')
  const own = checkOptionNames(options, { ...serviceOptions, ...readers }, 'jwtAuth')
  const { clientAddress, ...http } = readMembers(own, readers)
  const readAddress = createAddressReader(clientAddress)
  /** Adds what responses depend on of the options of the service, and no key. */
  const bind = ({ dpop, profile, system }: ResolvedOptions) =>
    Object.freeze({
      ...http,
      dpop,
      /** Whether responses have members of the application. */
      hasProfile: profile !== undefined,
      startTimer: system.startTimer,
      randomByte: () => system.randomBytes(1).readUInt8(),
      readAddress,
      /** Whether the application has no function of its own for addresses. */
      isAddressDefault: clientAddress === undefined,
    })
  return { own, bind }
}

/** The HTTP options with every default applied. */
export type HttpOptions = ReturnType<ReturnType<typeof resolveHttpOptions>['bind']>

/**
 * Checks that a function which creates middleware was not itself passed to the router.
 *
 * @throws TypeError if the options are a request
 */
export const refuseRequest = (options: unknown, name: string, call: string): void => {
  if (getMember(options, 'headers') === undefined || getMember(options, 'method') === undefined) return
  throw usageError(
    name.replace('auth.', ''),
    `\`${name}\` was passed to the router without being called: write \`${call}\`.`,
  )
}
