import type { IncomingMessage } from 'node:http'
import {
  type Device,
  optionError,
  readBoolean,
  readFunction,
  readInteger,
  readSystem,
  type System,
  type TokenServiceOptions,
} from '@jwt-auth/core'
import { defaultNamespace } from '@jwt-auth/core/wire'

/** What {@link jwtAuth} is made from: the token service's options and what concerns HTTP. */
export interface JwtAuthOptions extends TokenServiceOptions {
  /** Where the routes stand, below whatever path the middleware is mounted on. @default '/jwt-auth/v1' */
  readonly namespace?: string | undefined
  /** Names the protection space in `WWW-Authenticate`; printable ASCII without `"` and `\`. @default 'jwt-auth' */
  readonly realm?: string | undefined
  /** Whether `application/x-www-form-urlencoded` bodies are read too. @default false */
  readonly formBodies?: boolean | undefined
  /**
   * How long a request's body may take to arrive, in milliseconds, 100 to 300,000; what takes longer is answered 400 and its
   * connection closed. @default 10000
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * What to keep of the device a login came from. @default the `User-Agent` header and the client's address (in Express
   * `req.ip`, which heeds `trust proxy`)
   */
  readonly device?: ((req: IncomingMessage) => Device) | undefined
}

/** The HTTP options with every default in place. */
export interface HttpOptions {
  readonly namespace: string
  readonly realm: string
  readonly formBodies: boolean
  readonly bodyTimeoutMs: number
  readonly startTimer: System['startTimer']
  readonly randomByte: () => number
  /** `undefined` keeps the `User-Agent` header and the address. */
  readonly device: ((req: IncomingMessage) => Device) | undefined
}

/** Checks the HTTP options and hands on the others. Throws a `TypeError` that names the option. */
export const resolveHttpOptions = (
  options: JwtAuthOptions,
): { readonly http: HttpOptions; readonly serviceOptions: TokenServiceOptions } => {
  if (typeof options !== 'object' || options === null) throw optionError('options', 'an object', options)
  refuseRequest(options, 'jwtAuth', 'jwtAuth({ secret, issuer, users, storage })')
  const { namespace, realm, formBodies, bodyTimeoutMs, device, ...serviceOptions } = options
  const { startTimer, randomBytes } = readSystem(options.system)
  const http = Object.freeze({
    namespace: readNamespace(namespace),
    realm: readRealm(realm),
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

/** Throws a `TypeError` for the request that a router passes to a function which creates middleware. */
export const refuseRequest = (options: object, name: string, call: string): void => {
  if (!('headers' in options && 'method' in options)) return
  throw new TypeError(`jwt-auth: \`${name}\` was passed to the router without being called: write \`${call}\`.`)
}

const readNamespace = (namespace: unknown): string => {
  if (namespace === undefined) return defaultNamespace
  if (typeof namespace === 'string' && /^(\/[A-Za-z0-9._~-]+)+$/.test(namespace)) return namespace
  throw optionError('namespace', 'a path such as "/jwt-auth/v1", with a slash before and none after', namespace)
}

const readRealm = (realm: unknown): string => {
  if (realm === undefined) return 'jwt-auth'
  if (typeof realm === 'string' && /^[ !#-[\]-~]+$/.test(realm)) return realm
  throw optionError('realm', 'printable ASCII without quotes and backslashes', realm)
}
