import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, isAuthError } from '@jwt-auth/core'
import { readPresentedToken, type ServiceBinding, usageError } from '@jwt-auth/core/internal'
import { type ClientRequest, fromWebRequest } from './client-request.js'
import type { ErrorHandling, Fail, Next } from './failures.js'
import { type GuardOptions, type RequestRules, resolveGuardOptions, resolveRules } from './guard-options.js'
import type { GuardedRequests } from './guarded-requests.js'
import { isWebRequest, requireNodeResponse, requireRequest, type WebRequest } from './node-http.js'
import { warnOfEarlyResponse } from './warnings.js'

/** Middleware for Express 5, Express 4, Connect and `node:http`. */
export type Middleware<Req extends IncomingMessage = IncomingMessage> = (
  req: Req,
  res: ServerResponse,
  next: Next,
) => void

/** What the guards of a service share. */
interface GuardContext {
  readonly requests: GuardedRequests
  readonly failBy: (errorHandling: ErrorHandling) => Fail
  /** Called with each request that a guard rejects because it has no token. */
  readonly onNoToken: (req: IncomingMessage) => void
  /** Used by guards without the option. */
  readonly errorHandling: ErrorHandling
}

/**
 * The property of a guard with its options and their defaults, by which `@jwt-auth/testing`
 * recognizes guards.
 */
const guardOptionsKey: unique symbol = Symbol.for('@jwt-auth/express.guard')

/** Creates the function that creates guards. */
export const createGuardFactory =
  ({ admit }: ServiceBinding, { requests, failBy, onNoToken, errorHandling: byDefault }: GuardContext) =>
  <Req extends IncomingMessage = IncomingMessage>(options: GuardOptions<Auth, Req> = {}): Middleware<Req> => {
    const { optional, errorHandling = byDefault, ...rules } = resolveGuardOptions(options)
    const fail = failBy(errorHandling)
    const authenticate = async (req: Req, res: ServerResponse): Promise<undefined> => {
      const request = requests.track(req, res)
      if (!optional || !isAnonymous(request)) request.caller = await admit(request, rules)
      const value = request.caller?.auth
      // Assignments to `req.auth` fail from now on. Another guard can still redefine the property.
      Object.defineProperty(req, 'auth', { value, configurable: true, enumerable: true, writable: false })
    }

    const guard: Middleware<Req> = (req, res, next) => {
      requireNodeResponse(res)
      if (typeof next !== 'function') throw usageError('guard', withoutNext)
      authenticate(req, res).then(next, (thrown: unknown) => {
        if (isAuthError(thrown) && thrown.code === 'jwt_auth_no_auth_header') onNoToken(req)
        warnOfEarlyResponse(res)
        fail(thrown, res, next)
      })
    }
    const value = Object.freeze({ ...rules, optional, errorHandling })
    return Object.defineProperty(guard, guardOptionsKey, { value })
  }

/** Creates the function that checks requests without middleware, by the rules of the guard. */
export const createRequestVerifier =
  ({ admit }: ServiceBinding, requests: GuardedRequests) =>
  async <Req extends IncomingMessage | WebRequest>(req: Req, options: RequestRules<Auth, Req> = {}): Promise<Auth> => {
    requireRequest(req)
    const rules = resolveRules(options)
    if (isWebRequest(req)) return (await admit(fromWebRequest(req), rules)).auth
    const request = requests.track(req)
    request.caller = await admit(request, rules)
    return request.caller.auth
  }

// A handler that calls a guard itself does not wait for it. Without this error, the handler would
// respond to everybody.
const withoutNext =
  "a guard was called without `next`, and cannot stop the handler that called it. Write `app.get('/reports', auth.guard(), handler)`, or call `await auth.verifyRequest(req)` in the handler."

/** Returns whether a request has no access token, not even a malformed one. */
const isAnonymous = (request: ClientRequest): boolean => {
  try {
    readPresentedToken(request)
    return false
  } catch (error) {
    return isAuthError(error) && error.code === 'jwt_auth_no_auth_header'
  }
}
