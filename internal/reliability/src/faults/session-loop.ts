import { setTimeout as pause } from 'node:timers/promises'
import type { Step, StepOutcome, StepRecord, Visitor } from './visitor.js'

/** A visitor that uses one session after another. */
export interface SessionLoop {
  /** Resolves at the end of the session in which `finish` was called. */
  readonly completed: Promise<void>
  readonly finish: () => void
}

/** The settings of a {@link SessionLoop}. */
export interface SessionLoopSettings {
  readonly visitor: Visitor
  /** The limit for a response, in milliseconds. */
  readonly limitMs: number
  readonly record: (record: StepRecord) => void
  readonly reportViolation: (violation: string) => void
  /** Aborts requests at random. @default never */
  readonly chooseAbort?: ChooseAbort | undefined
}

/** Returns the signal that aborts the next request. Returns `undefined` for a request that is not aborted. */
export type ChooseAbort = () => AbortSignal | undefined

/** The steps of a session, with their final outcomes. A fault may delay an outcome, but not change it. */
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
export const startSessionLoop = (settings: SessionLoopSettings): SessionLoop => {
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
 * Repeats a step while the service is unavailable: a failed request must have no effect. Resolves to whether the outcome was
 * right.
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

// The first revocation took place, and its response was lost. A retry then receives 403 (docs/http-api.md).
const isRevokedBefore = ({ step, outcome }: StepRecord, isRetry: boolean): boolean =>
  step === 'revoke' && outcome === 'refused' && isRetry

const describe = ({ userId, step, outcome }: StepRecord): string => `user ${userId}: ${step} was ${outcome}`
