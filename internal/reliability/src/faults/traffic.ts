import { type DrawAbort, startJourney } from './journey.js'
import { until } from './until.js'
import { createVisitor, type StepRecord } from './visitor.js'
import type { Watch } from './watch.js'

/** Many users at once. */
export interface Traffic {
  /** Every request so far, in the order of their answers. */
  readonly records: readonly StepRecord[]
  /** Settles when so many more requests were answered with what they asked for. */
  readonly untilDone: (count: number) => Promise<void>
  /** Lets every user finish the life of a session, which shows that nothing was lost to any of them. */
  readonly finish: () => Promise<void>
}

/** How much traffic there is. */
export interface TrafficSettings {
  readonly visitors: number
  readonly storageTimeoutMs: number
  /** Breaks requests off now and then. @default never */
  readonly drawAbort?: DrawAbort
}

const patienceMs = 60_000
// A refresh asks storage twice.
const callsOfAStep = 2
// How late an answer may be on a machine that has other things to do.
const slackMs = 20_000

/** Starts users, from user 1 on, that log in, use, refresh and revoke their sessions for as long as they are let. */
export const startTraffic = (watch: Watch, { visitors, storageTimeoutMs, drawAbort }: TrafficSettings): Traffic => {
  const { door, recorder, complain } = watch
  const records: StepRecord[] = []
  const note = (record: StepRecord): void => {
    records.push(record)
  }
  const limitMs = callsOfAStep * storageTimeoutMs + slackMs
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
