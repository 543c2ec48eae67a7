import { AuthError } from '../errors/auth-error.js'
import { readHashingRefusal } from '../passwords/hashing-refusal.js'
import type { System } from '../system.js'
import { callListener } from './call-listener.js'

/** Calls the application's `onError`. Neither function throws. */
export interface Reporter {
  /**
   * Reports a failure that the client did not cause. Refusals of the hashing queue are reported once a minute for each of the two
   * reasons, since a flood of logins causes thousands.
   */
  readonly report: (error: AuthError) => void
  /**
   * Reports a mistake in the application that makes logins fail like a wrong password. Each message is reported once, since every such
   * login repeats it.
   */
  readonly reportFault: (message: string) => void
}

const quietMs = 60_000

/** Creates the reporter of one service. */
export const createReporter = (onError: (error: AuthError) => void, now: System['now']): Reporter => {
  const reported = new Set<string>()
  const quietUntil = new Map<string | undefined, number>()

  // Nobody is left to report to when the log itself fails.
  const report = (error: AuthError): void => callListener(onError, error, () => {})

  return {
    report: (error) => {
      if (readHashingRefusal(error) !== undefined) {
        if (now() < (quietUntil.get(error.detail) ?? Number.NEGATIVE_INFINITY)) return
        quietUntil.set(error.detail, now() + quietMs)
      }
      report(error)
    },
    reportFault: (message) => {
      if (reported.has(message)) return
      reported.add(message)
      report(new AuthError('jwt_auth_failed', { cause: new Error(`jwt-auth: ${message}`) }))
    },
  }
}
