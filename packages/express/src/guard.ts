import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError, isAuthError, type Rule } from '@jwt-auth/core'
import { calls, describeValue, isPromise, type ServiceBinding, trace, usageError } from '@jwt-auth/core/adapter'
import { readAccessToken, readPresentedToken } from '@jwt-auth/core/wire'
import type { ErrorHandling, Fail, Next } from './failures.js'
import {
  type GuardOptions,
  type RequestRules,
  type ResolvedRules,
  resolveGuardOptions,
  resolveRules,
} from './guard-options.js'
import { type Caller, type GuardedRequests, type Origin, readRoute } from './guarded-requests.js'
import {
  isWebRequest,
  readAuthorization,
  requireNodeResponse,
  requireRequest,
  toDpopRequest,
  type WebRequest,
} from './node-http.js'

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
  (binding: ServiceBinding, { requests, failBy, onNoToken, errorHandling: byDefault }: GuardContext) =>
  <Req extends IncomingMessage = IncomingMessage>(options: GuardOptions<Auth, Req> = {}): Middleware<Req> => {
    const { optional, errorHandling = byDefault, ...rules } = resolveGuardOptions(options)
    const fail = failBy(errorHandling)
    const checkRequest = createRequestCheck(binding, rules)

    const admit = async (req: Req, res: ServerResponse): Promise<void> => {
      const state = requests.track(req, res)
      if (!optional || !isAnonymous(req)) state.caller = await checkRequest(req, state)
      const value = state.caller?.auth
      // Assignments to `req.auth` fail from now on. Another guard can still redefine the property.
      Object.defineProperty(req, 'auth', { value, configurable: true, enumerable: true, writable: false })
    }

    const guard: Middleware<Req> = (req, res, next) => {
      requireNodeResponse(res)
      requireNext(next)
      admit(req, res).then(
        () => next(),
        (thrown: unknown) => {
          if (isAuthError(thrown) && thrown.code === 'jwt_auth_no_auth_header') onNoToken(req)
          fail(thrown, res, next)
        },
      )
    }
    const value = Object.freeze({ ...rules, optional, errorHandling })
    return Object.defineProperty(guard, guardOptionsKey, { value })
  }

/** Creates the function that checks requests without middleware, by the rules of the guard. */
export const createRequestVerifier =
  (binding: ServiceBinding, requests: GuardedRequests) =>
  async <Req extends IncomingMessage | WebRequest>(
    request: Req,
    options: RequestRules<Auth, Req> = {},
  ): Promise<Auth> => {
    requireRequest(request)
    const checkRequest = createRequestCheck(binding, resolveRules(options))
    const state = isWebRequest(request) ? undefined : requests.track(request, undefined)
    const caller = await checkRequest(request, state ?? {})
    if (state !== undefined) state.caller = caller
    return caller.auth
  }

// A handler that calls a guard itself does not wait for it. Without this error, the handler would
// respond to everybody.
const requireNext = (next: unknown): void => {
  if (typeof next === 'function') return
  throw usageError(
    'guard',
    "a guard was called without `next`, and cannot stop the handler that called it. Write `app.get('/reports', auth.guard(), handler)`, or call `await auth.verifyRequest(req)` in the handler.",
  )
}

/**
 * Creates the check of guards and `verifyRequest`, which resolves to the caller of a request. It
 * emits `request_rejected` for each request that it rejects.
 */
const createRequestCheck = <Req extends IncomingMessage | WebRequest>(
  binding: ServiceBinding,
  { checkUser, allow, maxAuthAgeSeconds }: ResolvedRules<Req>,
) => {
  const { service, emitRejection, afterInput } = binding
  const checkRule = allow && createRule(allow, binding)

  const readToken = (req: Req, { address, res }: Partial<Origin>) => {
    try {
      return readPresentedToken({ authorization: readAuthorization(req), readDpop: () => toDpopRequest(req, res) })
    } catch (error) {
      if (isAuthError(error)) emitRejection(error, { address })
      throw error
    }
  }

  const checkRequest = async (req: Req, origin: Partial<Origin>): Promise<Caller> => {
    const { accessToken, dpop } = readToken(req, origin)
    if (afterInput !== undefined) await afterInput()
    const { address } = origin
    const checks = { address, dpop, maxAuthAgeSeconds }
    const caller: Caller = checkUser
      ? await service.authorizeUser(accessToken, checks)
      : { auth: await service.authorize(accessToken, checks) }
    if (checkRule !== undefined) await checkRule(caller.auth, req, address)
    return caller
  }

  return (req: Req, origin: Partial<Origin>): Promise<Caller> =>
    calls.guard.hasSubscribers ? trace(calls.guard, {}, () => checkRequest(req, origin)) : checkRequest(req, origin)
}

/** Returns whether a request has no access token, not even a malformed one. */
const isAnonymous = (req: IncomingMessage): boolean => {
  try {
    readAccessToken(readAuthorization(req))
    return false
  } catch (error) {
    return isAuthError(error) && error.code === 'jwt_auth_no_auth_header'
  }
}

/**
 * Creates the check of the application's rule, which throws for a request that the rule does not
 * allow. A rule that returns a promise has the deadline of a storage call. If a rule returns neither
 * true nor false, the check reports it, but only once.
 */
const createRule = <Req extends IncomingMessage | WebRequest>(
  allow: Rule<Auth, Req>,
  { callInTime, report, emitRejection }: ServiceBinding,
) => {
  let isReported = false
  const isAllowed = async (auth: Auth, req: Req): Promise<boolean> => {
    const returned = allow(auth, req)
    // Setting a deadline costs as much time as the rest of a guard. Most rules need none.
    const result: unknown = isPromise(returned) ? await callInTime('allow', async () => returned) : returned
    if (typeof result !== 'boolean' && !isReported) {
      isReported = true
      const problem = `option \`allow\` of the guard of ${readRoute(req)} returned ${describeValue(result, true)}`
      const cause = usageError('allow', `${problem}; return true or false: every other value rejects the request.`)
      report(new AuthError('jwt_auth_forbidden', { cause }))
    }
    return result === true
  }

  return async (auth: Auth, req: Req, address: string | undefined): Promise<void> => {
    try {
      if (await isAllowed(auth, req)) return
      throw new AuthError('jwt_auth_forbidden', allow.scopes && { scopes: allow.scopes })
    } catch (thrown) {
      if (!isAuthError(thrown)) {
        const detail = `the rule \`allow\` of the guard of ${readRoute(req)} failed (tokens that were issued before you added a claim do not contain it)`
        throw new AuthError('jwt_auth_internal_error', { cause: thrown, detail })
      }
      emitRejection(thrown, { presented: auth, address })
      throw thrown
    }
  }
}
