import type { Door, Recorder } from '../history/recorder.js'
import { startJourney } from './journey.js'
import { until } from './until.js'
import { createVisitor, type StepRecord } from './visitor.js'

/** Many users at once. */
export interface Traffic {
  /** Every request so far, in the order of their answers. */
  readonly records: readonly StepRecord[]
  /** What was not as it must be, each in one line. */
  readonly violations: readonly string[]
  /** Settles when so many more requests were answered with what they asked for. */
  readonly untilDone: (count: number) => Promise<void>
  /** Lets every user finish the life of a session, which shows that nothing was lost to any of them. */
  readonly finish: () => Promise<void>
}

/** How much traffic, and where. */
export interface TrafficSettings {
  readonly door: Door
  readonly recorder: Recorder
  readonly visitors: number
  /** How long an answer may take at most. */
  readonly limitMs: number
  /** Breaks requests off now and then. @default never */
  readonly drawAbort?: () => AbortSignal | undefined
}

const patienceMs = 15_000

/** Starts users, from user 1 on, that log in, use, refresh and revoke their sessions for as long as they are let. */
export const startTraffic = ({ door, recorder, visitors, limitMs, drawAbort }: TrafficSettings): Traffic => {
  const records: StepRecord[] = []
  const violations: string[] = []
  const note = (record: StepRecord): void => {
    records.push(record)
  }
  const complain = (violation: string): void => {
    violations.push(violation)
  }
  let travelling = visitors
  const journeys = Array.from({ length: visitors }, (_, number) => {
    const visitor = createVisitor({ userId: number + 1, door, recorder })
    const journey = startJourney({ visitor, limitMs, note, complain, drawAbort })
    void journey.completed.then(() => {
      travelling -= 1
    })
    return journey
  })
  const countDone = (): number => records.filter(({ outcome }) => outcome === 'done').length

  return {
    records,
    violations,
    untilDone: async (count) => {
      const before = countDone()
      await until(`${count} more requests are answered`, () => countDone() >= before + count, patienceMs)
    },
    finish: async () => {
      for (const { finish } of journeys) finish()
      await until('every user has come to an end', () => travelling === 0, patienceMs)
    },
  }
}
