import type { EpochMilliseconds, System } from '../system.js'

/** What the delay needs from its service. */
export interface RefusalDelayParts extends Pick<System, 'now' | 'startTimer' | 'randomBytes'> {
  /** Aborts when the service closes. */
  readonly closing: AbortSignal
}

/** An attempt that is refused without a check of its password. */
export interface RefusedAttempt {
  readonly startedAt: EpochMilliseconds
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal | undefined
  /** Does the work of a check for no user. */
  readonly checkNobody: () => Promise<unknown>
}

/** Makes refusals take as long as attempts whose password was checked (docs/decisions/0028). */
export interface RefusalDelay {
  /** Records how long the check of a wrong password took that a limit had refused (at a known pair), or had reserved. */
  readonly record: (durationMs: number, kind: 'refused' | 'reserved') => void
  /** Rejects with the error, as long after the start as a check would have taken. */
  readonly refuse: (error: Error, attempt: RefusedAttempt) => Promise<never>
}

// Few, so that they follow the load of the machine; a divisor of 256, so that each is drawn equally often.
const mostSamples = 32
// A clock that was set forward must not make refusals wait for hours.
const longestMs = 30_000

/** Creates the delay of one service. */
export const createRefusalDelay = ({ now, startTimer, randomBytes, closing }: RefusalDelayParts): RefusalDelay => {
  const ofRefused: number[] = []
  const ofOthers: number[] = []
  const waits = new Set<() => void>()
  let firstCheck: Promise<void> | undefined

  const endAll = (): void => {
    for (const end of waits) end()
  }
  closing.addEventListener('abort', endAll, { once: true })

  const record: RefusalDelay['record'] = (durationMs, kind) => {
    const samples = kind === 'refused' ? ofRefused : ofOthers
    samples.unshift(Math.min(Math.max(durationMs, 0), longestMs))
    samples.length = Math.min(samples.length, mostSamples)
  }

  const draw = (): number | undefined => {
    const samples = ofRefused.length > 0 ? ofRefused : ofOthers
    return samples[randomBytes(1).readUInt8() % samples.length]
  }

  const measure = async (checkNobody: RefusedAttempt['checkNobody']): Promise<void> => {
    const startedAt = now()
    try {
      await checkNobody()
      record(now() - startedAt, 'reserved')
    } catch {
      // A full queue, for example. The next refusal measures.
    } finally {
      firstCheck = undefined
    }
  }

  const wait = (durationMs: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve) => {
      if (durationMs <= 0 || closing.aborted || signal?.aborted) return resolve()
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

  return {
    record,
    refuse: async (error, { startedAt, signal, checkNobody }) => {
      if (ofRefused.length + ofOthers.length === 0) {
        firstCheck ??= measure(checkNobody)
        await firstCheck
      }
      await wait((draw() ?? 0) - (now() - startedAt), signal)
      throw error
    },
  }
}
