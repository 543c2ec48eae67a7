import { AuthError } from '../errors/auth-error.js'
import { callListener } from './call-listener.js'

/** Calls the application's `onError`. Neither function throws. */
export interface Reporter {
  /** Reports a failure that the client did not cause. */
  readonly report: (error: AuthError) => void
  /**
   * Reports a mistake in the application that fails logins like a wrong password: each message once, for every such login
   * would repeat it.
   */
  readonly reportFault: (message: string) => void
}

/** Creates the reporter of one service. */
export const createReporter = (onError: (error: AuthError) => void): Reporter => {
  const reported = new Set<string>()

  // Of a log that fails there is nobody left to tell.
  const report = (error: AuthError): void => callListener(onError, error, () => {})

  return {
    report,
    reportFault: (message) => {
      if (reported.has(message)) return
      reported.add(message)
      report(new AuthError('jwt_auth_failed', { cause: new Error(`jwt-auth: ${message}`) }))
    },
  }
}
