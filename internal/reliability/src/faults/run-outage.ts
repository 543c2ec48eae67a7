import type { DatabaseProbe } from './database-probe.js'
import { type Interval, type Outage, takePlace } from './outages.js'
import { poolSize, type Stage } from './stage.js'
import { createVisitor, isDone, type Step, type StepRecord, startTraffic } from './traffic.js'
import { until } from './until.js'
import { type Watch, watchStage } from './watch.js'

// More than the pool has connections.
const visitors = 8

/**
 * Runs an outage of `lengthMs` against a service under load, and waits until the service has
 * recovered. `recoveryMs` is the time from the first response of the database until then.
 */
export const runOutage = async (stage: Stage, outage: Outage, lengthMs: number) => {
  const watch = watchStage(stage)
  const traffic = startTraffic(watch, { visitors, callTimeoutMs: stage.callTimeoutMs })
  const run = async () => {
    await traffic.untilDone(2 * visitors)
    const interval = await takePlace(outage, stage, lengthMs)
    return { interval, recoveryMs: await measureRecovery(stage.probe, watch) }
  }
  // Also after a failure: the traffic would use connections during the next outage.
  const { interval, recoveryMs } = await run().finally(traffic.finish)
  const decided = outage.isTotal ? findDecided(traffic.records, interval) : []
  return {
    operations: traffic.records.length,
    recoveryMs,
    violations: [...decided, ...(await watch.findViolations())],
  }
}

/**
 * Finds steps that did not fail during a total outage. Every step needs storage.
 */
const findDecided = (records: readonly StepRecord[], { from, to }: Interval): readonly string[] =>
  records
    .filter(({ startedAt, endedAt, outcome }) => startedAt > from && endedAt < to && outcome !== 'failed')
    .map(({ userId, step, outcome }) => `user ${userId}: ${step} was ${outcome} while storage was unavailable`)

// A busy machine takes many times as long as an idle one. The soak reports the time of each
// recovery.
const limitMs = 60_000
const firstUserId = 1_001
const allSteps: readonly Step[] = ['login', 'visit', 'validate', 'refresh', 'revoke']

/**
 * Measures how long the service needs to recover. Returns milliseconds, from the moment at which
 * the database responds to a direct query.
 */
const measureRecovery = async (probe: DatabaseProbe, watch: Watch): Promise<number> => {
  await until('the database responds', probe.isUp, limitMs)
  const startedAt = performance.now()
  await untilRecovered(watch)
  return performance.now() - startedAt
}

/**
 * Resolves when the service carries out all steps for as many users concurrently as it has
 * connections. Rejects after a minute.
 */
export const untilRecovered = (watch: Watch): Promise<void> => {
  const visitors = Array.from({ length: poolSize }, (_, number) => createVisitor(watch, firstUserId + number))
  const hasRecovered = async (): Promise<boolean> => {
    for (const step of allSteps) {
      const results = await Promise.all(visitors.map((perform) => perform(step)))
      if (!results.every(isDone)) return false
    }
    return true
  }
  return until('the service has recovered', hasRecovered, limitMs)
}
