import { checkHistory } from '../history/check-history.js'
import { createRecorder, type Recorder } from '../history/recorder.js'
import { describeViolation } from '../history/violation.js'
import { watchDoor } from './contract.js'
import { happen, type Interval, type Outage } from './outages.js'
import { measureRecovery } from './recovery.js'
import { findResidue } from './residue.js'
import { type Stage, storageTimeoutMs } from './stage.js'
import { startTraffic } from './traffic.js'
import type { StepOutcome, StepRecord } from './visitor.js'

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

// More than the pool has connections for.
const visitors = 8
/** A refresh asks storage twice. */
const callsOfAStep = 2
/** How late an answer may be on a machine that has other things to do. */
const slackMs = 2_000
/** The default of `refreshGraceSeconds`. */
const graceMs = 30_000

/** Lets an outage happen to a service under load, for so many milliseconds, and watches until all is well again. */
export const runOutage = async (stage: Stage, outage: Outage, lengthMs: number): Promise<OutageReport> => {
  const strange: string[] = []
  const door = watchDoor(stage.instance, (violation) => strange.push(violation))
  const recorder = createRecorder()
  const limitMs = callsOfAStep * storageTimeoutMs + slackMs

  const traffic = startTraffic({ door, recorder, visitors, limitMs })
  await traffic.untilDone(2 * visitors)
  const interval = await happen(outage, stage, lengthMs)
  const recoveryMs = await measureRecovery({ probe: stage.probe, door, recorder })
  await traffic.finish()
  await recorder.readFinally(door)

  return {
    done: count(traffic.records, 'done'),
    unavailable: count(traffic.records, 'unavailable'),
    recoveryMs,
    violations: [
      ...strange,
      ...traffic.violations,
      ...(outage.isTotal ? findBlind(traffic.records, interval) : []),
      ...findBroken(recorder),
      ...(await findResidue(stage)),
    ],
  }
}

// Every step asks storage: whatever was decided in the meantime was decided without it.
const findBlind = (records: readonly StepRecord[], { from, to }: Interval): readonly string[] =>
  records
    .filter(({ beganAt, endedAt, outcome }) => beganAt > from && endedAt < to && outcome !== 'unavailable')
    .map(({ userId, step, outcome }) => `user ${userId}: ${step} was ${outcome} while nothing could be asked`)

const findBroken = (recorder: Recorder): readonly string[] =>
  checkHistory(recorder.history(), { graceMs }).map(describeViolation)

const count = (records: readonly StepRecord[], outcome: StepOutcome): number =>
  records.filter((record) => record.outcome === outcome).length
