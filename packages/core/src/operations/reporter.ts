import { AuthError } from '../errors/auth-error.js'
import { readHashingRefusal } from '../passwords/hashing-refusal.js'
import type { System } from '../system.js'
import { callListener } from './call-listener.js'
import type { EmitEvent } from './emit-event.js'

/** Calls the application's `onError`. Neither function throws. */
export interface Reporter {
  /**
   * Reports a failure that the client did not cause. Refusals of the hashing queue are reported once a minute, together with a
   * `login_overload` event, since a flood of logins causes thousands.
   */
  readonly report: (error: AuthError) => void
  /**
   * Reports a mistake in the application that makes logins fail like a wrong password. Each message is reported once, since every such
   * login repeats it.
   */
  readonly reportFault: (message: string) => void
}

/** What a reporter is made from. */
export interface ReporterParts {
  readonly onError: (error: AuthError) => void
  readonly emit: EmitEvent
  readonly now: System['now']
}

const quietMs = 60_000

/** Creates the reporter of one service. */
export const createReporter = ({ onError, emit, now }: ReporterParts): Reporter => {
  const reported = new Set<string>()
  const refused = { count: 0, knownCount: 0, quietUntil: Number.NEGATIVE_INFINITY }

  // Nobody is left to report to when the log itself fails.
  const tell = (error: AuthError): void => callListener(onError, error, () => {})

  const reportRefusal = (error: AuthError, isKnown: boolean): void => {
    refused.count += 1
    if (isKnown) refused.knownCount += 1
    if (now() < refused.quietUntil) return
    const { count, knownCount } = refused
    Object.assign(refused, { count: 0, knownCount: 0, quietUntil: now() + quietMs })
    tell(error)
    emit({ type: 'login_overload', count, knownCount, at: new Date(now()) })
  }

  return {
    report: (error) => {
      const refusal = readHashingRefusal(error)
      if (refusal === undefined) tell(error)
      else reportRefusal(error, refusal.isKnown)
    },
    reportFault: (message) => {
      if (reported.has(message)) return
      reported.add(message)
      tell(new AuthError('jwt_auth_failed', { cause: new Error(`jwt-auth: ${message}`) }))
    },
  }
}
