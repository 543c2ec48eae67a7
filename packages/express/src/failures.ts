import type { ServerResponse } from 'node:http'
import { type AuthError, isAuthError, toAuthError } from '@jwt-auth/core'
import {
  type ErrorResponseOptions,
  isServerFault,
  type ServiceBinding,
  setErrorHeaders,
  toErrorResponse,
  type WireResponse,
} from '@jwt-auth/core/internal'
import { send } from './node-http.js'

/** Passes the request on, or an error to the framework. The errors are `AuthError`s. */
export type Next = (error?: Error) => void

/**
 * Who responds to a failed request: jwt-auth (`respond`), or the error handler of the application
 * (`forward`).
 */
export type ErrorHandling = 'respond' | 'forward'

/** Ends a request that failed. */
export type Fail = (thrown: unknown, res: ServerResponse, next?: Next) => void

// An error that was reported may reach `sendError` later, in the error handler of the application.
const reportedErrors = new WeakSet<AuthError>()

/** Calls `report` with an error, unless it was reported before. */
export const reportOnce = (error: AuthError, report: ServiceBinding['report']): void => {
  if (reportedErrors.has(error)) return
  reportedErrors.add(error)
  report(error)
}

const forwarded =
  "(forwarded by jwt-auth: with errorHandling 'forward', respond in your error handler after the routes)"

// The operations whose result an application may ignore.
const checks: ReadonlySet<string> = new Set(['verify', 'verifyRequest', 'checkCredentials', 'requirePassword', 'limit'])

// The stack of an unhandled rejection is all that an application without `await` sees.
const nameAwait = (error: AuthError, name: string): void => {
  const hint = `in \`await ${name}(…)\`: without \`await\`, every request passes`
  Reflect.set(error, 'stack', `${error.stack}\n    ${hint}`)
}

/** Creates the functions for the failures of one service. */
export const createFailures = (report: ServiceBinding['report'], options: ErrorResponseOptions) => {
  // A wrong list of origins rejects the logins of a whole page.
  const needsReport = (error: AuthError): boolean =>
    !reportedErrors.has(error) && (isServerFault(error) || error.code === 'jwt_auth_untrusted_origin')
  const respond = (thrown: unknown): WireResponse => {
    const error = toAuthError(thrown)
    // Several requests may fail with one error: each request is reported.
    if (needsReport(error)) report(error)
    return toErrorResponse(error, options)
  }
  const sendError = (res: ServerResponse, thrown: unknown): void => send(res, respond(thrown))
  return {
    /** Responds with an error, and reports it if the client did not cause it. */
    sendError,
    /** Returns what `sendError` would send, and reports the error as `sendError` does. */
    toErrorResponse: (thrown: unknown): Response => {
      const { body, ...init } = respond(thrown)
      return new Response(body, init)
    },
    /**
     * Returns the same asynchronous functions for routes of the application. Their errors have the
     * headers of their response, and those that the client did not cause are reported: the
     * application may respond without `sendError`.
     */
    prepared: <Calls extends object>(calls: Calls): Calls => {
      const prepare =
        (name: string, call: (...args: readonly unknown[]) => Promise<unknown>) =>
        async (...args: readonly unknown[]): Promise<unknown> => {
          try {
            return await call(...args)
          } catch (thrown) {
            if (isAuthError(thrown)) {
              if (needsReport(thrown)) reportOnce(thrown, report)
              setErrorHeaders(thrown, options)
              if (checks.has(name) && !isServerFault(thrown)) nameAwait(thrown, name)
            }
            throw thrown
          }
        }
      // Each function takes and returns what it did before.
      return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, prepare(name, call)])) as Calls
    },
    /**
     * Returns the function that ends failed requests. It always responds where there is no `next`.
     */
    failBy:
      (errorHandling: ErrorHandling): Fail =>
      (thrown, res, next) => {
        if (errorHandling === 'respond' || next === undefined) return sendError(res, thrown)
        const error = toAuthError(thrown)
        if (needsReport(error)) reportOnce(error, report)
        // Without an error handler of the application, Express writes the stack of each 401 to
        // stderr.
        if (!isServerFault(error)) Reflect.set(error, 'stack', `${error.name}: ${error.message} ${forwarded}`)
        setErrorHeaders(error, options)
        next(error)
      },
  }
}
