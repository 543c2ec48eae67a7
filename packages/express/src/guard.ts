import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, isAuthError, type TokenService } from '@jwt-auth/core'
import { createRequestCheck, isAnonymous } from './check-request.js'
import type { ErrorHandling, Fail, Next } from './failures.js'
import { type GuardOptions, resolveGuardOptions } from './guard-options.js'
import type { GuardedRequests } from './guarded-requests.js'
import { requireNodeResponse } from './node-http.js'

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
  /** Called when a guard has authenticated a request. */
  readonly onAuthenticated: () => void
  /** Used by guards without the option. */
  readonly errorHandling: ErrorHandling
}

/** Creates the function that creates guards. */
export const createGuardFactory =
  (service: TokenService, { requests, failBy, onNoToken, onAuthenticated, errorHandling: byDefault }: GuardContext) =>
  <Req extends IncomingMessage = IncomingMessage>(options: GuardOptions<Auth, Req> = {}): Middleware<Req> => {
    const { isOptional, errorHandling, ...rules } = resolveGuardOptions(options)
    const fail = failBy(errorHandling ?? byDefault)
    const checkRequest = createRequestCheck(service, rules)

    const admit = async (req: Req, res: ServerResponse): Promise<void> => {
      const notes = requests.note(req, res)
      if (!isOptional || !isAnonymous(req)) {
        notes.caller = await checkRequest(req, notes.address)
        onAuthenticated()
      }
      const value = notes.caller?.auth
      // Assignments to `req.auth` fail from now on. Another guard can still redefine the property.
      Object.defineProperty(req, 'auth', { value, configurable: true, enumerable: true, writable: false })
    }

    return (req, res, next) => {
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
  }

// A handler that calls a guard itself does not wait for it. Without this error, the handler would respond to everybody.
const requireNext = (next: unknown): void => {
  if (typeof next === 'function') return
  throw new TypeError(
    "jwt-auth: a guard was called without `next`, and cannot stop the handler that called it. Write `app.get('/reports', auth.guard(), handler)`, or call `await auth.verifyRequest(req)` in the handler.",
  )
}
