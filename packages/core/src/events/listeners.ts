import { AuthError, toAuthError } from '../errors/auth-error.js'
import { type Difference, describeDifference } from '../errors/difference.js'
import { createStderrReport } from '../errors/report-to-stderr.js'
import type { System } from '../system.js'
import type { AuthEvent } from './auth-event.js'

/** Calls the application's `onEvent`. Never throws, and nothing waits for it. */
export type EmitEvent = (event: AuthEvent) => void

/**
 * Creates the function that emits events. Errors that the listener throws, or rejects with, go to
 * `onError`.
 */
export const createEmitter =
  (onEvent: ((event: AuthEvent) => unknown) | undefined, onError: (error: AuthError) => void): EmitEvent =>
  (event) => {
    if (onEvent === undefined) return
    callListener(onEvent, Object.freeze(event), (thrown) => onError(toAuthError(thrown)))
  }

const quietMs = 60_000

/**
 * Creates the reporter of one service, which calls the application's `onError`. If `onError` fails,
 * writes the error and the failure to stderr. No function throws.
 */
export const createReporter = (
  onError: (error: AuthError) => unknown,
  emit: EmitEvent,
  system: Pick<System, 'now'> & Parameters<typeof createStderrReport>[0],
) => {
  const { now, monotonicMs } = system
  const reportedFaults = new Set<string>()
  const quietUntil = new Map<string, number>()
  const refused = { count: 0, knownCount: 0 }

  // Two reports, because a shared one would suppress the failure if both errors have the same code.
  const writeError = createStderrReport(system)
  const writeFailure = createStderrReport(system)

  const send = (error: AuthError): void =>
    callListener(onError, error, (cause) => {
      const failure = new AuthError('jwt_auth_internal_error', { cause, detail: 'option `onError` failed' })
      // If stderr fails too, nothing is left to report to.
      callListener(writeError, error, () => {})
      callListener(writeFailure, failure, () => {})
    })

  // Returns whether a report of this kind is due, and counts it as made.
  const isDue = (kind: string): boolean => {
    if (monotonicMs() < (quietUntil.get(kind) ?? 0)) return false
    quietUntil.set(kind, monotonicMs() + quietMs)
    return true
  }

  const reportRefusal = (error: AuthError, isKnown: boolean): void => {
    refused.count += 1
    if (isKnown) refused.knownCount += 1
    if (!isDue('refusal')) return
    const { count, knownCount } = refused
    Object.assign(refused, { count: 0, knownCount: 0 })
    send(error)
    emit({ type: 'login_overload', count, knownCount, at: new Date(now()) })
  }

  const sendFault = (message: string): void =>
    send(new AuthError('jwt_auth_misconfigured', { cause: new Error(`jwt-auth: ${message}`) }))

  return {
    /**
     * Reports a failure that the client did not cause. Refusals of the hashing queue, together with
     * a `login_overload` event, and origins that are not trusted are reported once a minute, since
     * clients cause thousands.
     */
    report: (error: AuthError): void => {
      if (error.refusal !== undefined) reportRefusal(error, error.refusal.isKnown)
      else if (error.code !== 'jwt_auth_untrusted_origin' || isDue(error.code)) send(error)
    },
    /**
     * Reports a mistake in the application that makes logins or tokens fail. Each message is
     * reported once, since every such request repeats it. With a cause, reports a failure after
     * which the request continues.
     */
    reportFault: (message: string, cause?: unknown): void => {
      if (cause !== undefined) {
        send(new AuthError('jwt_auth_unavailable', { detail: message, cause }))
      } else if (!reportedFaults.has(message)) {
        reportedFaults.add(message)
        sendFault(message)
      }
    },
    /**
     * Reports that another instance has another option or clock: at most once a minute for each
     * `subject`. Returns whether it did. Only for tokens that are not forged.
     */
    reportDifference: (difference: Difference): boolean => {
      if (!isDue(difference.subject)) return false
      sendFault(describeDifference(difference))
      return true
    },
  }
}

const callListener = <T>(listener: (value: T) => unknown, value: T, onFailure: (thrown: unknown) => void): void => {
  try {
    Promise.resolve(listener(value)).catch(onFailure)
  } catch (thrown) {
    onFailure(thrown)
  }
}
