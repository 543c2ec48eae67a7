import { happen, type Interval, type Outage } from './outages.js'
import { measureRecovery } from './recovery.js'
import type { Stage } from './stage.js'
import { startTraffic } from './traffic.js'
import type { StepOutcome, StepRecord } from './visitor.js'
import { watchStage } from './watch.js'

/** What an outage did to a service under load. */
export interface OutageReport {
  /** Requests that were done. */
  readonly done: number
  /** Requests that were told that storage can't be asked. */
  readonly unavailable: number
  /** From the first answer of the database until the service does everything again. */
  readonly recoveryMs: number
  /** What was not as it must be. */
  readonly violations: readonly string[]
}

interface Suffered {
  readonly interval: Interval
  readonly recoveryMs: number
}

// More than the pool has connections for.
const visitors = 8

/** Lets an outage happen to a service under load, for so many milliseconds, and watches until all is well again. */
export const runOutage = async (stage: Stage, outage: Outage, lengthMs: number): Promise<OutageReport> => {
  const watch = watchStage(stage)
  const traffic = startTraffic(watch, { visitors, storageTimeoutMs: stage.storageTimeoutMs })
  const suffer = async (): Promise<Suffered> => {
    await traffic.untilDone(2 * visitors)
    const interval = await happen(outage, stage, lengthMs)
    return { interval, recoveryMs: await measureRecovery(stage.probe, watch) }
  }
  // Traffic that went on after a failure would use connections while the next outage is judged.
  const { interval, recoveryMs } = await suffer().finally(traffic.finish)
  const blind = outage.isTotal ? findBlind(traffic.records, interval) : []
  return {
    done: count(traffic.records, 'done'),
    unavailable: count(traffic.records, 'unavailable'),
    recoveryMs,
    violations: [...blind, ...(await watch.findViolations())],
  }
}

// Every step asks storage: whatever was decided in the meantime was decided without it.
const findBlind = (records: readonly StepRecord[], { from, to }: Interval): readonly string[] =>
  records
    .filter(({ beganAt, endedAt, outcome }) => beganAt > from && endedAt < to && outcome !== 'unavailable')
    .map(({ userId, step, outcome }) => `user ${userId}: ${step} was ${outcome} while nothing could be asked`)

const count = (records: readonly StepRecord[], outcome: StepOutcome): number =>
  records.filter((record) => record.outcome === outcome).length
