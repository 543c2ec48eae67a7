import { type AuthClientError, isTemporary } from './auth-client-error.js'
import type { Environment } from './environment.js'

/**
 * Runs a call, and again after each temporary failure. Rejects with the last failure when the next
 * attempt would start too late. Later calls wait for the same moment, and reject immediately if it
 * is too late for them.
 */
export type RunWithRetries = <T>(attempt: () => Promise<T>) => Promise<T>

/** Returns how long the next attempt waits after a number of failures. */
export const toDelayMs = (failures: number): number => Math.min(500 * 2 ** failures, 8_000)

/**
 * Creates the function that repeats the requests of one kind.
 *
 * @param limitMs how long a caller waits for the next attempt. Without a limit, calls run in the
 * background
 */
export const createRetry = (
  { monotonicMs, random, startTimer, page }: Environment,
  limitMs?: number,
): RunWithRetries => {
  let failures = 0
  let resumeAtMs = 0
  let lastFailure: AuthClientError | undefined
  let listening: AbortController | undefined
  let endPause: (() => void) | undefined
  const resume = () => {
    resumeAtMs = 0
    endPause?.()
  }

  return async (attempt) => {
    const startedAtMs = monotonicMs()
    for (;;) {
      if (limitMs && resumeAtMs - startedAtMs > limitMs) throw lastFailure
      const delayMs = resumeAtMs - monotonicMs()
      if (delayMs > 0) {
        await new Promise<void>((resolve) => {
          endPause = resolve
          startTimer(delayMs, resolve, !limitMs)
        })
      }
      listening?.abort()
      try {
        const result = await attempt()
        failures = 0
        return result
      } catch (failure) {
        if (!isTemporary(failure)) throw failure
        lastFailure = failure
        // The server sets the length of some pauses.
        if (!failure.retryAfterSeconds) {
          listening = new AbortController()
          page?.addEventListener('online', resume, listening)
          page?.addEventListener('visibilitychange', resume, listening)
        }
        // Clients that failed in the same second must not retry in the same second.
        resumeAtMs = monotonicMs() + (failure.retryAfterSeconds ?? 0) * 1_000 + toDelayMs(failures++) * (0.5 + random())
      }
    }
  }
}
