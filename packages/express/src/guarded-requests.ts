import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError, type User } from '@jwt-auth/core'
import type { ServiceBinding } from '@jwt-auth/core/adapter'
import { usageError } from '@jwt-auth/core/adapter'
import { reportOnce } from './failures.js'
import { isWebRequest, type ReadAddress, readTarget, type WebRequest } from './node-http.js'

/** The caller of a request. */
export interface Caller {
  readonly auth: Auth
  /** `undefined` unless the guard looked the user up. */
  readonly user?: User | undefined
}

/** The connection of a request, as it was when the guard ran. */
export interface Origin {
  /** The client's address. A socket loses its address when it closes. */
  readonly address: string | undefined
  /**
   * The response, whose end shows that the client has disconnected. `undefined` if no guard ran as
   * middleware.
   */
  readonly res: ServerResponse | undefined
}

/** What the last guard of a request found about it. */
interface GuardedRequest extends Origin {
  /** `undefined` until the guard authenticated the request. */
  caller: Caller | undefined
}

/** Creates the state of one service about the requests that its guards have seen. */
export const createGuardedRequests = (report: ServiceBinding['report'], readAddress: ReadAddress) => {
  // A property, because a WeakMap whose keys are requests doubles the time of V8's minor garbage
  // collections.
  const stateKey = Symbol('jwt-auth')
  interface TrackedRequest extends IncomingMessage {
    [stateKey]?: GuardedRequest
  }
  // JavaScript callers pass any value.
  const find = (req: TrackedRequest | undefined): GuardedRequest | undefined => req?.[stateKey]

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

  return {
    /** Starts to track a request for a guard. */
    track: (req: IncomingMessage, res: ServerResponse | undefined): GuardedRequest => {
      const tracked: TrackedRequest = req
      const state: GuardedRequest = { address: readAddress(req), res, caller: undefined }
      tracked[stateKey] = state
      return state
    },
    /**
     * Returns the connection of a request when its guard ran. If no guard ran, returns the present
     * address.
     */
    getOrigin: (req: IncomingMessage): Origin => find(req) ?? { address: readAddress(req), res: undefined },
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
  if (typeof req === 'object' && req !== null) return
  throw usageError('getAuth', `auth.${name} needs the request: write auth.${call}.`)
}

const explain = (req: IncomingMessage, state: GuardedRequest | undefined): string => {
  const route = readRoute(req)
  if (state === undefined) return `no guard ran for ${route}`
  return state.caller === undefined
    ? `the optional guard of ${route} passed an anonymous request on`
    : `the guard of ${route} has no option checkUser`
}

/**
 * Returns the method and the path of a request, for messages. The query may contain secrets.
 */
export const readRoute = (req: IncomingMessage | WebRequest): string => {
  if (isWebRequest(req)) {
    const { method = '', url = '' } = req
    return URL.canParse(url) ? `${method} ${new URL(url).pathname}` : 'a request'
  }
  return `${req.method} ${readTarget(req).split(/[?#]/, 1)[0] ?? ''}`
}
