import { isOver, type Progress, type Scenario, type ScenarioContext, toDefect } from '../scenario.js'
import { runLeavingClients } from './leaving-clients.js'
import { loseConnections, lostConnections } from './lost-connections.js'
import { openStages } from './open-stages.js'
import { outages } from './outages.js'
import { runDeadlocks } from './run-deadlocks.js'
import { runOutage } from './run-outage.js'
import type { Stage } from './stage.js'
import { watchStage } from './watch.js'

type Round = (stage: Stage, context: ScenarioContext) => Promise<Omit<Progress, 'store' | 'rounds'>>

const lengthsMs = [500, 2_000, 10_000]
const refreshes = 20
const requests = 200

const sufferOutage: Round = async (stage, { random }) => {
  const outage = random.pick(outages.filter(({ stores }) => stores.includes(stage.name)))
  const { done, unavailable, recoveryMs, violations } = await runOutage(stage, outage, random.pick(lengthsMs))
  const named = violations.map((violation) => `${outage.name}: ${violation}`)
  return { faults: 1, operations: done + unavailable, recoveryMs, violations: named }
}

const loseConnection: Round = async (stage, { random }) => {
  const watch = watchStage(stage)
  const lost = random.pick(lostConnections)
  const interrupted = await loseConnections(stage, watch, { lost, times: refreshes })
  const fallen = interrupted.find(
    ({ first, retry, isRepeatable, visit }) =>
      !(first === 'failed' && retry === 'granted' && isRepeatable && visit === 'let-in'),
  )
  const place = `number ${interrupted.length} of ${refreshes}`
  const isWhole = fallen === undefined && interrupted.length === refreshes
  const missing = isWhole ? [] : [`${lost.moment}: ${place} was ${JSON.stringify(fallen)}`]
  const operations = watch.recorder.history().length
  return { faults: refreshes, operations, violations: [...missing, ...(await watch.findViolations())] }
}

const deadlock: Round = async (stage) => {
  const watch = watchStage(stage)
  const reports = await runDeadlocks(stage, watch, refreshes)
  const missing = reports
    .filter(({ granted, deadlocks }) => granted !== refreshes || deadlocks !== refreshes)
    .map((report) => `not every deadlock was survived: ${JSON.stringify(report)}`)
  const operations = watch.recorder.history().length
  return { faults: refreshes, operations, violations: [...missing, ...(await watch.findViolations())] }
}

const leave: Round = async (stage, { random }) => {
  const { answered, brokenOff, violations } = await runLeavingClients(stage, { random, requests })
  return { faults: brokenOff, operations: answered + brokenOff, violations }
}

// These scenarios judge what a fault costs, not how fast a busy machine is, so no call may time out.
const patient: StageChoice = { storageTimeoutMs: 30_000 }
const atDeadlocks: StageChoice = { ...patient, stores: ['PostgreSQL', 'MariaDB'] }

/** Faults of the database, of the network and of clients, over and over, each of a random kind, moment and length. */
export const faultScenarios: readonly Scenario[] = [
  { name: 'outages', run: (context) => onEveryStage(context, sufferOutage) },
  { name: 'lost-connections', run: (context) => onEveryStage(context, loseConnection, patient) },
  { name: 'deadlocks', run: (context) => onEveryStage(context, deadlock, atDeadlocks) },
  { name: 'leaving-clients', run: (context) => onEveryStage(context, leave) },
]

const mostGrowthBytes = 50_000_000

/** Notes what a service has on its heap; the answer looks again, and tells when it has grown too much. */
async function watchMemory({ instance }: Stage): Promise<() => Promise<readonly string[]>> {
  const { heapUsedBytes: before } = await instance.report()
  return async () => {
    const { heapUsedBytes } = await instance.report()
    return heapUsedBytes - before > mostGrowthBytes ? [`the heap grew from ${before} to ${heapUsedBytes} bytes`] : []
  }
}

interface StageChoice {
  /** @default all */
  readonly stores?: readonly Stage['name'][]
  /** @default the stage's */
  readonly storageTimeoutMs?: number
}

/** Round after round on every store at once. */
async function onEveryStage(
  context: ScenarioContext,
  round: Round,
  { stores, ...settings }: StageChoice = {},
): Promise<void> {
  const stages = await openStages({ ...settings, ...toDefect(context) })
  const suffer = async (stage: Stage): Promise<void> => {
    const isBounded = await watchMemory(stage)
    // One round at least: a busy machine may take longer to set a stage than a turn lasts.
    for (let rounds = 0; rounds === 0 || !isOver(context); rounds += 1) {
      const progress = await round(stage, context)
      const violations = [...(progress.violations ?? []), ...(await isBounded())]
      context.report({ ...progress, store: stage.name, rounds: 1, violations })
    }
  }
  try {
    const meant = stages.filter(({ name }) => stores?.includes(name) ?? true)
    const ends = await Promise.allSettled(meant.map(suffer))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  } finally {
    await Promise.all(stages.map(({ close }) => close()))
  }
}
