import type { AuthError } from '../errors/auth-error.js'
import type { System } from '../system.js'

/** An attempt that a limit refused. */
interface RefusedAttempt {
  readonly refusal: AuthError
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal | undefined
}

/** What the delay needs from its service. */
export interface RefusalEnvironment extends Pick<System, 'startTimer'> {
  /** Aborts when the service closes. */
  readonly closing: AbortSignal
}

const minSeconds = 1
const maxSeconds = 5

/** Creates the delay of refused attempts (docs/design/rate-limits.md). */
export const createRefusalDelay = ({ startTimer, closing }: RefusalEnvironment) => {
  const waiting = new Set<() => void>()
  closing.addEventListener('abort', () => [...waiting].forEach((refuse) => void refuse()), { once: true })
  let meanMs: number | undefined
  // Until the first measurement, the delay is the longest one. A shorter delay could abort the
  // check of a correct password, and the owner of a known pair could then not log in.
  const toDelayMs = (): number => {
    const seconds = meanMs === undefined ? maxSeconds : Math.ceil((2 * meanMs) / 1_000)
    return Math.min(maxSeconds, Math.max(minSeconds, seconds)) * 1_000
  }

  return {
    /**
     * Records how long a password check took, in milliseconds. The delay is at least twice the
     * mean, in whole seconds from one to five.
     */
    observe: (tookMs: number): void => {
      meanMs = (meanMs ?? tookMs) * 0.9 + tookMs * 0.1
    },
    /**
     * Runs the check of an attempt that a limit refused. Resolves as soon as the password is right.
     * Otherwise rejects when the delay has passed, with the refusal, or with the error of the check
     * if the check has failed by then. The signal of the check aborts then.
     */
    delay: ({ refusal, signal }: RefusedAttempt, check: (signal: AbortSignal) => Promise<boolean>): Promise<true> =>
      new Promise((resolve, reject) => {
        const ended = new AbortController()
        const end = (settle: () => void): void => {
          stopTimer()
          waiting.delete(refuse)
          signal?.removeEventListener('abort', refuse)
          ended.abort()
          settle()
        }
        let rejection: unknown = refusal
        const refuse = (): void => end(() => reject(rejection))
        const stopTimer = startTimer(toDelayMs(), refuse)
        if (closing.aborted || signal?.aborted) return refuse()
        waiting.add(refuse)
        signal?.addEventListener('abort', refuse)
        check(ended.signal).then(
          (isRight) => {
            if (isRight) end(() => resolve(true))
          },
          (failure: unknown) => {
            rejection = failure
          },
        )
      }),
  }
}
