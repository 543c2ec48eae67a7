import { setTimeout as pause } from 'node:timers/promises'
import type { Step, StepOutcome, StepRecord, Visitor } from './visitor.js'

/** A visitor's way through the life of a session, again and again. */
export interface Journey {
  /** Settles at the end of a session's life, when it was told to finish. */
  readonly completed: Promise<void>
  readonly finish: () => void
}

/** Who travels, and who is told of it. */
export interface JourneySettings {
  readonly visitor: Visitor
  /** How long an answer may take at most. */
  readonly limitMs: number
  readonly note: (record: StepRecord) => void
  readonly complain: (violation: string) => void
  /** Breaks requests off now and then. @default never */
  readonly drawAbort?: DrawAbort | undefined
}

/** Draws whether and when a request is broken off; `undefined` for one that is let alone. */
export type DrawAbort = () => AbortSignal | undefined

/** A session's life. Whatever a fault does in between, each step must come to this outcome in the end. */
const life: readonly (readonly [Step, StepOutcome])[] = [
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

// What a user does in between; it leaves the machine to the service.
const betweenStepsMs = 10
const beforeRetryMs = 25

/** Sets a visitor out. */
export const startJourney = (settings: JourneySettings): Journey => {
  let isFinishing = false

  const travel = async (): Promise<void> => {
    while (!isFinishing) await live(settings)
  }

  return {
    completed: travel(),
    finish: () => {
      isFinishing = true
    },
  }
}

/** From the login to the end, or to the first step that comes to something else. */
const live = async (settings: JourneySettings): Promise<void> => {
  for (const [step, expected] of life) {
    if (!(await persist(settings, step, expected))) return
    await pause(betweenStepsMs)
  }
}

/** Repeats a step for as long as it can't be done: what failed must have consumed nothing. Answers whether it came out well. */
const persist = async (settings: JourneySettings, step: Step, expected: StepOutcome): Promise<boolean> => {
  const { visitor, note, complain, drawAbort, limitMs } = settings
  for (let isRetry = false; ; isRetry = true) {
    const signal = drawAbort?.()
    const record = await visitor.perform(step, signal)
    note(record)
    const tookMs = Math.round(record.endedAt - record.beganAt)
    if (tookMs > limitMs) complain(`${describe(record)} after ${tookMs} ms`)
    if (record.outcome === expected || isLateNews(record, isRetry)) return true
    if (!mayBeRepeated(record, signal)) {
      complain(`${describe(record)} instead of ${expected}${isRetry ? ' when tried again' : ''}`)
      return false
    }
    await pause(beforeRetryMs)
  }
}

const mayBeRepeated = ({ outcome }: StepRecord, signal: AbortSignal | undefined): boolean =>
  outcome === 'unavailable' || (outcome === 'lost' && signal?.aborted === true)

// The first try was carried out, and its answer was lost (docs/http-api.md: a retry then answers 403).
const isLateNews = ({ step, outcome }: StepRecord, isRetry: boolean): boolean =>
  step === 'revoke' && outcome === 'refused' && isRetry

const describe = ({ userId, step, outcome }: StepRecord): string => `user ${userId}: ${step} was ${outcome}`
