import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError, type User } from '@jwt-auth/core'
import { getMember, type ServiceBinding, usageError } from '@jwt-auth/core/internal'
import { ClientRequest, type RequestOptions, readRoute } from './client-request.js'
import { reportOnce } from './failures.js'

/** Creates the state of one service about the requests that its guards have seen. */
export const createGuardedRequests = (report: ServiceBinding['report'], options: RequestOptions) => {
  // A property, because a WeakMap whose keys are requests doubles the time of V8's minor garbage
  // collections.
  const stateKey = Symbol('jwt-auth')
  interface TrackedRequest extends IncomingMessage {
    [stateKey]?: ClientRequest
  }
  // JavaScript callers pass any value.
  const find = (req: TrackedRequest | undefined): ClientRequest | undefined => req?.[stateKey]

  const fail = (req: IncomingMessage, problem: string, getter: (req: IncomingMessage) => unknown): AuthError => {
    const cause = usageError('getAuth', problem)
    const error = new AuthError('jwt_auth_internal_error', { detail: explain(req, find(req)), cause })
    for (const traced of [cause, error]) Error.captureStackTrace(traced, getter)
    reportOnce(error, report)
    return error
  }

  const getAuth = (req: IncomingMessage): Auth => {
    const auth = find(req)?.caller?.auth
    if (auth !== undefined) return auth
    requireRequestOf('getAuth', req)
    throw fail(
      req,
      'getAuth found no authenticated user; put auth.guard() of the same service before this handler, or call getOptionalAuth.',
      getAuth,
    )
  }

  const getUser = (req: IncomingMessage): User => {
    const user = find(req)?.caller?.user
    if (user !== undefined) return user
    requireRequestOf('getUser', req)
    throw fail(req, 'getUser found no user; put auth.guard({ checkUser: true }) before this handler.', getUser)
  }

  // Express sets `req.res`.
  const track = (req: IncomingMessage & { readonly res?: ServerResponse }, res = req.res): ClientRequest => {
    const request = new ClientRequest(req, res, options)
    const tracked: TrackedRequest = req
    tracked[stateKey] = request
    return request
  }

  return {
    /** Starts to track a request for a guard. */
    track,
    /** Returns the request as it was when its last guard or the first operation ran. */
    get: (req: IncomingMessage): ClientRequest => find(req) ?? track(req),
    /** Returns what the guard found. `undefined` if no guard authenticated the request. */
    getOptionalAuth: (req: IncomingMessage): Auth | undefined => {
      requireRequestOf('getOptionalAuth', req)
      return find(req)?.caller?.auth
    },
    /**
     * Returns what the guard found.
     *
     * @throws AuthError `jwt_auth_internal_error` if no guard authenticated the request; `onError`
     *   receives the method and the path
     */
    getAuth,
    /**
     * Returns the user that a guard with `checkUser` found.
     *
     * @throws AuthError as `getAuth` does, and if the guard has no option `checkUser`
     */
    getUser,
  }
}

/** The requests that the guards of one service have seen. */
export type GuardedRequests = ReturnType<typeof createGuardedRequests>

/**
 * Checks that a call received a request.
 *
 * @throws TypeError that shows the right call
 */
export const requireRequestOf = (name: string, req: IncomingMessage, call = `${name}(req)`): void => {
  if (getMember(req, 'headers') !== undefined) return
  throw usageError('getAuth', `auth.${name} needs the request: write auth.${call}.`)
}

const explain = (req: IncomingMessage, state: ClientRequest | undefined): string => {
  const route = readRoute(req)
  if (state === undefined) return `no guard ran for ${route}`
  return state.caller === undefined
    ? `the optional guard of ${route} passed an anonymous request on`
    : `the guard of ${route} has no option checkUser`
}
