import { AuthClientError } from './auth-client-error.js'
import { isTemporary } from './auth-routes.js'
import type { Environment } from './environment.js'

/** Repeats a call after temporary failures. */
export interface Retry {
  /**
   * Runs a call, and again after each temporary failure. Rejects with the last failure when the next attempt would start too late.
   * Later calls then still wait until the server accepts requests.
   */
  readonly run: <T>(attempt: () => Promise<T>) => Promise<T>
}

const firstDelayMs = 500
const longestDelayMs = 8_000

/**
 * Creates the state of the retries of one route.
 *
 * @param limitMs how long a caller waits for the next attempt
 */
export const createRetry = (
  { monotonicMs, random, startTimer }: Environment,
  limitMs: number,
  isBackground = false,
): Retry => {
  let failures = 0
  let resumeAtMs = 0
  let lastFailure: AuthClientError | undefined

  const wait = (delayMs: number): Promise<void> => new Promise((resolve) => startTimer(delayMs, resolve, isBackground))

  return {
    run: async (attempt) => {
      const startedAtMs = monotonicMs()
      for (;;) {
        const delayMs = resumeAtMs - monotonicMs()
        if (lastFailure && resumeAtMs - startedAtMs > limitMs) throw lastFailure
        if (delayMs > 0) await wait(delayMs)
        try {
          const result = await attempt()
          failures = 0
          resumeAtMs = 0
          return result
        } catch (failure) {
          if (!(failure instanceof AuthClientError) || !isTemporary(failure)) throw failure
          lastFailure = failure
          // Clients that failed in the same second must not retry in the same second.
          const backoffMs = Math.min(firstDelayMs * 2 ** failures++, longestDelayMs) * (0.5 + random())
          resumeAtMs = monotonicMs() + (failure.retryAfterSeconds ?? 0) * 1_000 + backoffMs
        }
      }
    },
  }
}
