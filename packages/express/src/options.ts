import type { IncomingMessage } from 'node:http'
import type { Auth, Device, System, TokenServiceOptions, User } from '@jwt-auth/core'
import {
  checkOptionNames,
  optionError,
  readBoolean,
  readFunction,
  readInteger,
  readSystem,
  tokenServiceOptionNames,
} from '@jwt-auth/core/adapter'
import { defaultNamespace } from '@jwt-auth/core/wire'
import type { ErrorHandling } from './failures.js'

/**
 * The options of `jwtAuth`: the options of the token service, and those of HTTP. TypeScript infers `U`, your type of a user, from
 * `users`, and `C`, the type of your claims, from `claims`.
 */
export interface JwtAuthOptions<U extends User = User, C extends object = object> extends TokenServiceOptions<U, C> {
  /** The path of the routes, below the path where the middleware is mounted. @default '/jwt-auth/v1' */
  readonly namespace?: string | undefined
  /** The realm of `WWW-Authenticate`: printable ASCII without `"` and `\`. @default 'jwt-auth' */
  readonly realm?: string | undefined
  /**
   * Who responds to a failed request on the routes, and to a request that a guard rejects: jwt-auth (`respond`), or the error
   * handler of your application (`forward`). With `forward`, the middleware calls `next` with an `AuthError`, and responds itself
   * only if there is no `next`. `onError` is called in both cases. @default 'respond'
   */
  readonly errorHandling?: ErrorHandling | undefined
  /** Whether `application/x-www-form-urlencoded` bodies are accepted too. @default false */
  readonly formBodies?: boolean | undefined
  /**
   * How long a request's body may take to arrive, in milliseconds, 100 to 300,000. A slower body fails with 400, and its
   * connection is closed. @default 10000
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * Returns what to store about the device of a login or a refresh. @default the `User-Agent` header and the client's address (in
   * Express `req.ip`, which depends on `trust proxy`)
   */
  readonly device?: ((req: IncomingMessage) => Device) | undefined
}

/** The HTTP options with every default applied. */
export interface HttpOptions {
  readonly namespace: string
  readonly realm: string
  readonly errorHandling: ErrorHandling
  readonly formBodies: boolean
  readonly bodyTimeoutMs: number
  readonly startTimer: System['startTimer']
  readonly randomByte: () => number
  /** `undefined` keeps the `User-Agent` header and the address. */
  readonly device: ((req: IncomingMessage) => Device) | undefined
}

const optionNames: Record<keyof JwtAuthOptions, true> = {
  ...tokenServiceOptionNames,
  namespace: true,
  realm: true,
  errorHandling: true,
  formBodies: true,
  bodyTimeoutMs: true,
  device: true,
}

/**
 * Checks the HTTP options and applies their defaults. Returns the options of the token service unchecked.
 *
 * @throws TypeError that names the option
 */
export const resolveHttpOptions = (
  options: JwtAuthOptions,
): { readonly http: HttpOptions; readonly serviceOptions: TokenServiceOptions } => {
  if (typeof options !== 'object' || options === null) throw optionError('options', 'an object', options)
  refuseRequest(options, 'jwtAuth', 'jwtAuth({ secret, issuer, users, storage })')
  checkOptionNames(options, optionNames, 'jwtAuth')
  const { namespace, realm, errorHandling, formBodies, bodyTimeoutMs, device, ...serviceOptions } = options
  const { startTimer, randomBytes } = readSystem(options.system)
  const http = Object.freeze({
    namespace: readNamespace(namespace),
    realm: readRealm(realm),
    errorHandling: readErrorHandling(errorHandling) ?? 'respond',
    formBodies: readBoolean('formBodies', formBodies),
    bodyTimeoutMs: readInteger('bodyTimeoutMs', bodyTimeoutMs, {
      min: 100,
      max: 300_000,
      default: 10_000,
      unit: 'milliseconds',
    }),
    startTimer,
    randomByte: () => randomBytes(1).readUInt8(),
    device: readFunction<HttpOptions['device']>('device', device, undefined),
  })
  return { http, serviceOptions }
}

/**
 * The options of a guard. `A` is what `allow` receives of the caller, and `Req` is the request of your framework, such as Express's
 * `Request<{ id: string }>`.
 */
export interface GuardOptions<A extends Auth = Auth, Req extends IncomingMessage = IncomingMessage> {
  /** Passes requests without a bearer token on as anonymous. An invalid token still fails with 401. @default false */
  readonly optional?: boolean | undefined
  /**
   * Looks the user up for each request with a valid token, and responds with 401 if the user does not exist or is disabled.
   * Without this option, the access tokens of such a user work until they expire or you call `auth.sessions.revokeAll`. Each
   * request then also waits for `users.findById`; if that fails, the response is 503. @default false
   */
  readonly checkUser?: boolean | undefined
  /**
   * Your rule, called for each request with a valid token. For any result other than `true`, the guard responds with 403
   * `jwt_auth_forbidden`. Claims are as old as the access token: a role that you take away stays in the token until it expires.
   * @default every request with a valid token is passed on
   * @example
   * ```ts
   * auth.guard({ allow: ({ userId }, req: Request<{ id: string }>) => isOwner(userId, req.params.id) })
   * ```
   */
  readonly allow?: ((auth: A, req: Req) => boolean | Promise<boolean>) | undefined
  /** Who responds to a request that the guard rejects. @default the option `errorHandling` of `jwtAuth` */
  readonly errorHandling?: ErrorHandling | undefined
}

const guardOptions: Record<keyof GuardOptions, true> = {
  optional: true,
  checkUser: true,
  allow: true,
  errorHandling: true,
}

/**
 * Checks the options of a guard and applies the defaults.
 *
 * @throws TypeError that names the option
 */
export const resolveGuardOptions = <Req extends IncomingMessage>(options: GuardOptions<Auth, Req>) => {
  if (typeof options !== 'object' || options === null) {
    throw optionError('guard', 'an object, such as { allow: (auth) => … }', options)
  }
  refuseRequest(options, 'auth.guard', 'auth.guard()')
  checkOptionNames(options, guardOptions, 'guard')
  const { optional, checkUser, allow, errorHandling } = options
  return {
    isOptional: readBoolean('optional', optional),
    isUserChecked: readBoolean('checkUser', checkUser),
    allow: readFunction<GuardOptions<Auth, Req>['allow']>('allow', allow, undefined),
    errorHandling: readErrorHandling(errorHandling),
  }
}

/**
 * Checks that a function which creates middleware was not itself passed to the router.
 *
 * @throws TypeError if the options are a request
 */
export const refuseRequest = (options: object, name: string, call: string): void => {
  if (!('headers' in options && 'method' in options)) return
  throw new TypeError(`jwt-auth: \`${name}\` was passed to the router without being called: write \`${call}\`.`)
}

const readNamespace = (namespace: unknown): string => {
  if (namespace === undefined) return defaultNamespace
  if (typeof namespace === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(namespace)) return namespace
  throw optionError('namespace', 'a path such as "/jwt-auth/v1", with a slash before and none after', namespace)
}

const readErrorHandling = (errorHandling: unknown): ErrorHandling | undefined => {
  if (errorHandling === undefined || errorHandling === 'respond' || errorHandling === 'forward') return errorHandling
  throw optionError('errorHandling', "'respond' or 'forward'", errorHandling)
}

const readRealm = (realm: unknown): string => {
  if (realm === undefined) return 'jwt-auth'
  if (typeof realm === 'string' && /^[ !#-[\]-~]+$/.test(realm)) return realm
  throw optionError('realm', 'printable ASCII without quotes and backslashes', realm)
}
