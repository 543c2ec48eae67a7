import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError } from '@jwt-auth/core'
import { reportOnce } from './failures.js'
import { readAddress } from './node-http.js'

/** Calls `onError` of a service. */
export type Report = (error: AuthError) => void

/** The connection of a request, as it was when the guard ran. */
interface Origin {
  /** The client's address. A socket loses its address when it closes. */
  readonly address: string | undefined
  /** The response, whose end shows that the client has disconnected. `undefined` if no guard ran. */
  readonly res: ServerResponse | undefined
}

/** What a service and its guards have noted about a request. */
interface RequestState {
  /** Calls `onError` of the service. */
  readonly report: Report
  /** `undefined` until a guard ran. */
  origin: Origin | undefined
  /** `undefined` until a guard authenticated the request. */
  auth: Auth | undefined
}

// One map for the ESM and the CommonJS build, so that `getAuth` of one finds what a guard of the other noted.
const mapKey = Symbol.for('@jwt-auth/express.requests')

const findMap = (): WeakMap<IncomingMessage, RequestState> => {
  const known: unknown = Reflect.get(globalThis, mapKey)
  if (known instanceof WeakMap) return known
  const map = new WeakMap<IncomingMessage, RequestState>()
  Object.defineProperty(globalThis, mapKey, { value: map })
  return map
}

const requests = findMap()

/** Notes which service saw a request first. Returns what is noted about the request. */
export const trackRequest = (req: IncomingMessage, report: Report): RequestState => {
  const known = requests.get(req)
  if (known !== undefined) return known
  const state = { report, origin: undefined, auth: undefined }
  requests.set(req, state)
  return state
}

/** Returns the connection of a request when its guard ran. If no guard ran, returns the present address. */
export const getOrigin = (req: IncomingMessage): Origin =>
  requests.get(req)?.origin ?? { address: readAddress(req), res: undefined }

/**
 * Returns the user, the session and the claims of a request. Returns `undefined` if no guard authenticated the request: behind
 * `guard({ optional: true })` without a token, and without a guard. Ignores what other middleware assigns to `req.auth`.
 *
 * @example
 * ```ts
 * app.get('/news', auth.guard({ optional: true }), (req, res) => res.json({ for: getOptionalAuth(req)?.userId }))
 * ```
 */
export const getOptionalAuth = (req: IncomingMessage): Auth | undefined => requests.get(req)?.auth

/**
 * Returns the user, the session and the claims of a request behind a guard. Ignores what other middleware assigns to `req.auth`.
 *
 * @throws an {@link AuthError} `jwt_auth_internal_error`, which Express responds to with 500, if no guard authenticated the
 * request: a route without a guard fails instead of serving everybody. `onError` then receives the method and the path of the
 * request.
 * @example
 * ```ts
 * app.delete('/account', auth.guard(), (req, res) => deleteUser(getAuth(req).userId))
 * ```
 */
export const getAuth = (req: IncomingMessage): Auth => {
  const state = requests.get(req)
  if (state?.auth !== undefined) return state.auth
  const error = createUnguardedError(req, state?.origin !== undefined)
  Error.captureStackTrace(error, getAuth)
  if (state !== undefined) reportOnce(error, state.report)
  throw error
}

const createUnguardedError = (req: IncomingMessage, hasGuard: boolean): AuthError => {
  const route = readRoute(req)
  const cause = new TypeError(
    'jwt-auth: getAuth found no authenticated user; put auth.guard() before this handler, or call getOptionalAuth.',
  )
  Error.captureStackTrace(cause, getAuth)
  return new AuthError('jwt_auth_internal_error', {
    detail: hasGuard ? `the optional guard of ${route} passed an anonymous request on` : `no guard ran for ${route}`,
    cause,
  })
}

/**
 * Returns the method and the path of a request, for messages. The query may contain secrets. Frameworks keep the URL of the whole
 * request when they remove a mount path.
 */
export const readRoute = (req: IncomingMessage): string => {
  const url = 'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : req.url
  return `${req.method} ${url?.split(/[?#]/, 1)[0] ?? ''}`
}
