import { isAuthError } from '../errors/auth-error.js'
import type { System } from '../system.js'

/** What the grid needs from its service. */
export interface RefusalGridParts extends Pick<System, 'now' | 'startTimer'> {
  /** Aborts when the service closes. */
  readonly closing: AbortSignal
}

/**
 * Runs the work of an attempt. If the work rejects with `jwt_auth_rate_limited`, the rejection is delayed until the next whole second after
 * the work started. The delay ends when the client has disconnected or the service closes.
 */
export type DelayRefusal = <T>(work: () => Promise<T>, signal: AbortSignal | undefined) => Promise<T>

// Longer than a check. The time of a refusal would otherwise tell whether the password was checked.
const gridMs = 1_000

/** Creates the grid of whole seconds on which the refusals of one service are sent (docs/decisions/0028). */
export const createRefusalGrid = ({ now, startTimer, closing }: RefusalGridParts): DelayRefusal => {
  const waits = new Set<() => void>()
  closing.addEventListener('abort', () => [...waits].forEach((end) => void end()), { once: true })

  const wait = (durationMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      if (closing.aborted || signal?.aborted) return resolve()
      const end = (): void => {
        stopTimer()
        waits.delete(end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const stopTimer = startTimer(durationMs, end)
      waits.add(end)
      signal?.addEventListener('abort', end)
    })

  return async (work, signal) => {
    const startedAt = now()
    try {
      return await work()
    } catch (failure) {
      if (isAuthError(failure) && failure.code === 'jwt_auth_rate_limited') {
        const elapsedMs = now() - startedAt
        await wait((Math.floor(elapsedMs / gridMs) + 1) * gridMs - elapsedMs, signal)
      }
      throw failure
    }
  }
}
