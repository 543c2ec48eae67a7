import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError, isAuthError, type TokenService } from '@jwt-auth/core'
import { readBearerToken } from '@jwt-auth/core/wire'
import { type ErrorHandling, type Fail, type Next, reportOnce } from './failures.js'
import { readAddress, readAuthorization } from './node-http.js'
import { type GuardOptions, resolveGuardOptions } from './options.js'

/** Middleware for Express 5, Express 4, Connect and `node:http`. */
export type Middleware<Req extends IncomingMessage = IncomingMessage> = (
  req: Req,
  res: ServerResponse,
  next: Next,
) => void

/** What a guard does with the requests that it rejects. */
interface Rejection {
  readonly failBy: (errorHandling: ErrorHandling) => Fail
  /** Used by guards without the option. */
  readonly errorHandling: ErrorHandling
}

/** Creates the function that creates guards. */
export const createGuardFactory =
  (service: TokenService, { failBy, errorHandling: byDefault }: Rejection) =>
  <Req extends IncomingMessage = IncomingMessage>(options: GuardOptions<Auth, Req> = {}): Middleware<Req> => {
    const { isOptional, isUserChecked, allow, errorHandling } = resolveGuardOptions(options)
    const fail = failBy(errorHandling ?? byDefault)
    const authorize = isUserChecked ? service.authorizeUser : service.authorize

    const admit = async (req: Req, res: ServerResponse): Promise<void> => {
      const state = trackRequest(req, service.report)
      const address = readAddress(req)
      state.origin = { address, res }
      const token = readToken(req, isOptional, (error) => service.emitRejection(error, { address }))
      const auth = token === undefined ? undefined : await authorize(token, address)
      if (auth !== undefined && allow !== undefined && (await allow(auth, req)) !== true) {
        const error = new AuthError('jwt_auth_forbidden')
        service.emitRejection(error, { presented: auth, address })
        throw error
      }
      state.auth = auth
      // Assignments to `req.auth` fail from now on. Another guard can still redefine the property.
      Object.defineProperty(req, 'auth', { value: auth, configurable: true, enumerable: true, writable: false })
    }

    return (req, res, next) => {
      admit(req, res).then(
        () => next(),
        (thrown: unknown) => fail(thrown, res, next),
      )
    }
  }

const readToken = (
  req: IncomingMessage,
  isOptional: boolean,
  onRejected: (error: AuthError) => void,
): string | undefined => {
  try {
    return readBearerToken(readAuthorization(req))
  } catch (error) {
    if (isOptional && isAuthError(error) && error.code === 'jwt_auth_no_auth_header') return undefined
    if (isAuthError(error)) onRejected(error)
    throw error
  }
}

type Report = (error: AuthError) => void

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
  const route = `${req.method} ${readPath(req)}`
  const cause = new TypeError(
    'jwt-auth: getAuth found no authenticated user; put auth.guard() before this handler, or call getOptionalAuth.',
  )
  Error.captureStackTrace(cause, getAuth)
  return new AuthError('jwt_auth_internal_error', {
    detail: hasGuard ? `the optional guard of ${route} passed an anonymous request on` : `no guard ran for ${route}`,
    cause,
  })
}

// The query may contain secrets. Frameworks keep the URL of the whole request when they remove a mount path.
const readPath = (req: IncomingMessage): string => {
  const url = 'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : req.url
  return url?.split(/[?#]/, 1)[0] ?? ''
}
