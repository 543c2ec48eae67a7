import { type ChooseAbort, startSessionLoop } from './session-loop.js'
import { until } from './until.js'
import { createVisitor, type StepRecord } from './visitor.js'
import type { Watch } from './watch.js'

/** Visitors that use the service concurrently. */
export interface Traffic {
  /** All steps so far, in the order of their responses. */
  readonly records: readonly StepRecord[]
  /** Resolves after so many further steps with the outcome `done`. */
  readonly untilDone: (count: number) => Promise<void>
  /** Lets every visitor complete its present session, which shows that the visitor has lost nothing. */
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

/** Starts visitors, from user 1 on, that log in, use, refresh and revoke their sessions until `finish` is called. */
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
