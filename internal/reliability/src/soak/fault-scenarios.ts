import { isDeepStrictEqual } from 'node:util'
import { loseConnections, lostConnections, runLeavingClients, survived } from '../faults/interruptions.js'
import { outages } from '../faults/outages.js'
import { runOutage } from '../faults/run-outage.js'
import { openStages, type Stage } from '../faults/stage.js'
import { watchStage } from '../faults/watch.js'
import { isFinished, type Progress, type Scenario, type ScenarioContext } from './run-soak.js'

type Round = (stage: Stage, context: ScenarioContext) => Promise<Omit<Progress, 'store' | 'rounds'>>

const lengthsMs = [500, 2_000, 10_000]
const refreshes = 20
const requests = 200
const maxGrowthBytes = 50_000_000

const runOutageRound: Round = async (stage, { random }) => {
  const outage = random.pick(outages.filter(({ stores }) => stores.includes(stage.name)))
  const { operations, recoveryMs, violations } = await runOutage(stage, outage, random.pick(lengthsMs))
  const named = violations.map((violation) => `${outage.name}: ${violation}`)
  return { faults: 1, operations, recoveryMs, violations: named }
}

const runLostConnectionRound: Round = async (stage, { random }) => {
  const watch = watchStage(stage)
  const lost = random.pick(lostConnections)
  const interrupted = await loseConnections(stage, watch, { lost, times: refreshes })
  const failed = interrupted.find((outcomes) => !isDeepStrictEqual(outcomes, survived))
  const isComplete = failed === undefined && interrupted.length === refreshes
  const position = `refresh ${interrupted.length} of ${refreshes}`
  const missing = isComplete ? [] : [`${lost.moment}: ${position} was ${JSON.stringify(failed)}`]
  const operations = watch.recorder.history().length
  return { faults: refreshes, operations, violations: [...missing, ...(await watch.findViolations())] }
}

const runLeavingClientsRound: Round = async (stage, { random }) => {
  const { completed, aborted, violations } = await runLeavingClients(stage, { random, requests })
  return { faults: aborted, operations: completed + aborted, violations }
}

/** Runs rounds on all stages concurrently. `callTimeoutMs` is that of the stages by default. */
const onEveryStage = async (context: ScenarioContext, round: Round, callTimeoutMs?: number): Promise<void> => {
  const stages = await openStages(callTimeoutMs)
  const runRounds = async (stage: Stage): Promise<void> => {
    const findGrowth = await watchHeap(stage)
    // At least one round: on a busy machine, opening a stage may take longer than a turn.
    for (let rounds = 0; rounds === 0 || !isFinished(context); rounds += 1) {
      const progress = await round(stage, context)
      const violations = [...(progress.violations ?? []), ...(await findGrowth())]
      context.report({ ...progress, store: stage.name, rounds: 1, violations })
    }
  }
  try {
    const ends = await Promise.allSettled(stages.map(runRounds))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    await Promise.all(stages.map(({ close }) => close()))
  }
}

/**
 * Measures the heap of a service. The result measures it again, and resolves to a violation when
 * the heap has grown too much.
 */
const watchHeap = async ({ instance }: Stage): Promise<() => Promise<readonly string[]>> => {
  const { heapUsedBytes: before } = await instance.call.report()
  return async () => {
    const { heapUsedBytes } = await instance.call.report()
    return heapUsedBytes - before > maxGrowthBytes ? [`the heap grew from ${before} to ${heapUsedBytes} bytes`] : []
  }
}

// These rounds judge the effects of a fault and not the speed of a busy machine. The deadline is so
// long that no call exceeds it.
const patientTimeoutMs = 30_000

/** Faults of the database, of the network and of clients, of random kinds, moments and lengths. */
export const faultScenarios: readonly Scenario[] = [
  { name: 'outages', run: (context) => onEveryStage(context, runOutageRound) },
  { name: 'lost-connections', run: (context) => onEveryStage(context, runLostConnectionRound, patientTimeoutMs) },
  { name: 'leaving-clients', run: (context) => onEveryStage(context, runLeavingClientsRound) },
]
