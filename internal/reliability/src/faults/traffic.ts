import { setTimeout as pause } from 'node:timers/promises'
import { until } from './until.js'
import { createVisitor, type Step, type StepOutcome, type StepRecord, type Visitor } from './visitor.js'
import type { Watch } from './watch.js'

/** Visitors that use the service concurrently. */
export interface Traffic {
  /** All steps so far, in the order of their responses. */
  readonly records: readonly StepRecord[]
  /** Resolves after so many further steps with the outcome `done`. */
  readonly untilDone: (count: number) => Promise<void>
  /**
   * Lets every visitor complete its present session, which shows that the visitor has lost nothing.
   */
  readonly finish: () => Promise<void>
}

/** The settings of traffic. */
export interface TrafficSettings {
  readonly visitors: number
  readonly storageTimeoutMs: number
  /** Aborts requests at random. @default never */
  readonly chooseAbort?: ChooseAbort
}

const timeoutMs = 60_000
// A refresh makes two calls to storage.
const callsPerStep = 2
// A busy machine may delay a response by this much.
const slackMs = 20_000

/**
 * Starts visitors, from user 1 on, that log in, use, refresh and revoke their sessions until
 * `finish` is called.
 */
export const startTraffic = (watch: Watch, { visitors, storageTimeoutMs, chooseAbort }: TrafficSettings): Traffic => {
  const { endpoint, recorder, reportViolation } = watch
  const records: StepRecord[] = []
  const record = (taken: StepRecord): void => {
    records.push(taken)
  }
  const limitMs = callsPerStep * storageTimeoutMs + slackMs
  let running = visitors
  const loops = Array.from({ length: visitors }, (_, number) => {
    const visitor = createVisitor({ userId: number + 1, endpoint, recorder })
    const loop = startSessionLoop({ visitor, limitMs, record, reportViolation, chooseAbort })
    void loop.completed.then(() => {
      running -= 1
    })
    return loop
  })
  const countDone = (): number => records.filter(({ outcome }) => outcome === 'done').length

  return {
    records,
    untilDone: async (count) => {
      const before = countDone()
      await until(`${count} more requests are complete`, () => countDone() >= before + count, timeoutMs)
    },
    finish: async () => {
      for (const { finish } of loops) finish()
      await until('every visitor has completed its session', () => running === 0, timeoutMs)
    },
  }
}

/** A visitor that uses one session after another. */
interface SessionLoop {
  /** Resolves at the end of the session in which `finish` was called. */
  readonly completed: Promise<void>
  readonly finish: () => void
}

/** The settings of a {@link SessionLoop}. */
interface SessionLoopSettings {
  readonly visitor: Visitor
  /** The limit for a response, in milliseconds. */
  readonly limitMs: number
  readonly record: (record: StepRecord) => void
  readonly reportViolation: (violation: string) => void
  /** Aborts requests at random. @default never */
  readonly chooseAbort?: ChooseAbort | undefined
}

/**
 * Returns the signal that aborts the next request. Returns `undefined` for a request that is not
 * aborted.
 */
export type ChooseAbort = () => AbortSignal | undefined

/**
 * The steps of a session, with their final outcomes. A fault may delay an outcome, but not change
 * it.
 */
const steps: readonly (readonly [Step, StepOutcome])[] = [
  ['login', 'done'],
  ['guard', 'done'],
  ['refresh', 'done'],
  ['validate', 'done'],
  ['refresh', 'done'],
  ['guard', 'done'],
  ['revoke', 'done'],
  ['guard', 'refused'],
  ['refresh', 'refused'],
  ['validate', 'refused'],
]

// Leaves processor time to the service.
const betweenStepsMs = 10
const beforeRetryMs = 25

/** Starts a visitor. */
const startSessionLoop = (settings: SessionLoopSettings): SessionLoop => {
  let isFinishing = false

  const run = async (): Promise<void> => {
    while (!isFinishing) await runSession(settings)
  }

  return {
    completed: run(),
    finish: () => {
      isFinishing = true
    },
  }
}

/** Takes all steps, or stops at the first wrong outcome. */
const runSession = async (settings: SessionLoopSettings): Promise<void> => {
  for (const [step, expected] of steps) {
    if (!(await takeStep(settings, step, expected))) return
    await pause(betweenStepsMs)
  }
}

/**
 * Repeats a step while the service is unavailable: a failed request must have no effect. Resolves
 * to whether the outcome was right.
 */
const takeStep = async (settings: SessionLoopSettings, step: Step, expected: StepOutcome): Promise<boolean> => {
  const { visitor, record, reportViolation, chooseAbort, limitMs } = settings
  for (let isRetry = false; ; isRetry = true) {
    const signal = chooseAbort?.()
    const taken = await visitor.perform(step, signal)
    record(taken)
    const tookMs = Math.round(taken.endedAt - taken.startedAt)
    if (tookMs > limitMs) reportViolation(`${describe(taken)} after ${tookMs} ms`)
    if (taken.outcome === expected || isRevokedBefore(taken, isRetry)) return true
    if (!mayRepeat(taken, signal)) {
      reportViolation(`${describe(taken)} instead of ${expected}${isRetry ? ' at a retry' : ''}`)
      return false
    }
    await pause(beforeRetryMs)
  }
}

const mayRepeat = ({ outcome }: StepRecord, signal: AbortSignal | undefined): boolean =>
  outcome === 'unavailable' || (outcome === 'lost' && signal?.aborted === true)

// The first revocation took place, and its response was lost. A retry then receives 403
// (docs/design/storage.md).
const isRevokedBefore = ({ step, outcome }: StepRecord, isRetry: boolean): boolean =>
  step === 'revoke' && outcome === 'refused' && isRetry

const describe = ({ userId, step, outcome }: StepRecord): string => `user ${userId}: ${step} was ${outcome}`
