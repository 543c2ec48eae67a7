import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError, type User } from '@jwt-auth/core'
import type { ServiceBinding } from '@jwt-auth/core/adapter'
import { usageError } from '@jwt-auth/core/adapter'
import { reportOnce } from './failures.js'
import { isWebRequest, type ReadAddress, type WebRequest } from './node-http.js'

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

/** The requests that the guards of one service have seen. */
export interface GuardedRequests {
  /** Starts to track a request for a guard. */
  readonly track: (req: IncomingMessage, res: ServerResponse | undefined) => GuardedRequest
  /**
   * Returns the connection of a request when its guard ran. If no guard ran, returns the present
   * address.
   */
  readonly getOrigin: (req: IncomingMessage) => Origin
  /** Returns what the guard found. `undefined` if no guard authenticated the request. */
  readonly getOptionalAuth: (req: IncomingMessage) => Auth | undefined
  /**
   * Returns what the guard found.
   *
   * @throws AuthError `jwt_auth_internal_error` if no guard authenticated the request; `onError`
   *   receives the method and the path
   */
  readonly getAuth: (req: IncomingMessage) => Auth
  /**
   * Returns the user that a guard with `checkUser` found.
   *
   * @throws AuthError as `getAuth` does, and if the guard has no option `checkUser`
   */
  readonly getUser: (req: IncomingMessage) => User
}

/** Creates the state of one service about requests. */
export const createGuardedRequests = (report: ServiceBinding['report'], readAddress: ReadAddress): GuardedRequests => {
  // A property, because a WeakMap whose keys are requests doubles the time of V8's minor garbage
  // collections.
  const stateKey = Symbol('jwt-auth')
  interface TrackedRequest extends IncomingMessage {
    [stateKey]?: GuardedRequest
  }

  const fail = (req: TrackedRequest, { name, fix }: Getter, caller: (req: IncomingMessage) => unknown): AuthError => {
    requireRequestOf(name, req)
    const cause = usageError('getAuth', `${name} ${fix}`)
    const error = new AuthError('jwt_auth_internal_error', { detail: explain(req, req[stateKey]), cause })
    for (const traced of [cause, error]) Error.captureStackTrace(traced, caller)
    reportOnce(error, report)
    return error
  }

  const getAuth = (req: TrackedRequest): Auth => {
    const auth = req?.[stateKey]?.caller?.auth
    if (auth !== undefined) return auth
    throw fail(req, getters.auth, getAuth)
  }

  const getUser = (req: TrackedRequest): User => {
    const user = req?.[stateKey]?.caller?.user
    if (user !== undefined) return user
    throw fail(req, getters.user, getUser)
  }

  return {
    track: (req: TrackedRequest, res) => {
      const state: GuardedRequest = { address: readAddress(req), res, caller: undefined }
      req[stateKey] = state
      return state
    },
    getOrigin: (req: TrackedRequest) => req[stateKey] ?? { address: readAddress(req), res: undefined },
    getOptionalAuth: (req: TrackedRequest) => {
      requireRequestOf('getOptionalAuth', req)
      return req[stateKey]?.caller?.auth
    },
    getAuth,
    getUser,
  }
}

/**
 * Returns the request that a call received.
 *
 * @throws TypeError that shows the right call
 */
export const requireRequestOf = (name: string, req: IncomingMessage, call = `${name}(req)`): IncomingMessage => {
  if (typeof req === 'object' && req !== null) return req
  throw usageError('getAuth', `auth.${name} needs the request: write auth.${call}.`)
}

interface Getter {
  readonly name: string
  readonly fix: string
}

const getters = {
  auth: {
    name: 'getAuth',
    fix: 'found no authenticated user; put auth.guard() of the same service before this handler, or call getOptionalAuth.',
  },
  user: { name: 'getUser', fix: 'found no user; put auth.guard({ checkUser: true }) before this handler.' },
} as const satisfies Record<string, Getter>

const explain = (req: IncomingMessage, state: GuardedRequest | undefined): string => {
  const route = readRoute(req)
  if (state === undefined) return `no guard ran for ${route}`
  return state.caller === undefined
    ? `the optional guard of ${route} passed an anonymous request on`
    : `the guard of ${route} has no option checkUser`
}

/**
 * Returns the method and the path of a request, for messages. The query may contain secrets.
 * Frameworks keep the URL of the whole request when they remove a mount path.
 */
export const readRoute = (req: IncomingMessage | WebRequest): string => {
  if (isWebRequest(req)) {
    const { method = '', url = '' } = req
    return URL.canParse(url) ? `${method} ${new URL(url).pathname}` : 'a request'
  }
  const url = 'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : req.url
  return `${req.method} ${url?.split(/[?#]/, 1)[0] ?? ''}`
}
