import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { LoadResult } from '../load/load-result.js'
import type { Visits } from '../load/visits.js'
import type { InstanceCounts } from '../processes/instance.js'
import type { Programs } from '../processes/programs.js'
import type { SharedStore, StoreCounts } from '../world/shared-stores.js'
import { requireStatuses } from './measure-servers.js'
import { readCpuMs } from './process-cpu.js'

/** The figures of a load on a fleet. */
export interface FleetFigures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time, in milliseconds per 1,000 operations. */
  readonly applicationCpuMs: number
  readonly databaseCpuMs: number
  readonly clientCpuMs: number
  /** Per operation. */
  readonly statements: number
  readonly bytes: number
  readonly loggedBytes: number
  readonly storedBytes: number
  /** The number of lookups in a batch. 0 when nothing was looked up. */
  readonly batch: number
  /** The time that statements waited for locks, in milliseconds per 1,000 operations. */
  readonly lockWaitMs: number
  readonly connections: number
  /** The memory of one instance. */
  readonly residentBytes: number
}

/** Instances of one service, and their clients, each in its own process. */
export interface Fleet {
  readonly run: (load: Omit<Visits, 'urls'>) => Promise<LoadResult>
  readonly measure: (load: Omit<Visits, 'urls'>) => Promise<FleetFigures>
  readonly end: () => Promise<void>
}

const msBetweenLooks = 50

/** Starts instances on a store. The caller must end them. */
export const startFleet = async (programs: Programs, store: SharedStore, count: number): Promise<Fleet> => {
  const load = programs.startLoad()
  const instances = Array.from({ length: count }, () => programs.startInstance())
  const end = async (): Promise<void> => {
    await Promise.all([load, ...instances].map((program) => program.end('SIGKILL')))
  }
  const secret = randomBytes(48).toString('base64url')
  try {
    const urls = await Promise.all(instances.map(({ call }) => call.open(secret, store.urls)))
    const run: Fleet['run'] = async (visits) => {
      const result = await load.call.visits({ ...visits, urls })
      requireStatuses(visits.visit, result, ['200'])
      return result
    }
    const read = async (): Promise<Counts> => ({
      ...addUp(await Promise.all(instances.map(({ call }) => call.read()))),
      ...(await store.read()),
      applicationCpuMs: readCpuMs(instances.map(({ processId }) => processId)),
      databaseCpuMs: readCpuMs(store.processIds),
      clientCpuMs: readCpuMs([load.processId]),
    })
    const measure: Fleet['measure'] = async (visits) => {
      const before = await read()
      const [result, lockWaits] = await whileSampling(store.countLockWaits, () => run(visits))
      return toFigures(result, { before, after: await read(), lockWaits, count })
    }
    return { run, measure, end }
  } catch (failure) {
    await end()
    throw failure
  }
}

interface Counts extends InstanceCounts, StoreCounts {
  readonly applicationCpuMs: number
  readonly databaseCpuMs: number
  readonly clientCpuMs: number
}

const addUp = (counts: readonly InstanceCounts[]): InstanceCounts => {
  const sum = (name: keyof InstanceCounts): number => counts.reduce((total, one) => total + one[name], 0)
  return {
    lookups: sum('lookups'),
    batches: sum('batches'),
    statements: sum('statements'),
    bytes: sum('bytes'),
    connections: sum('connections'),
    residentBytes: sum('residentBytes'),
  }
}

/** Resolves to the result of `run`, and to the mean of the samples taken meanwhile. */
const whileSampling = async <T>(
  sample: () => Promise<number>,
  run: () => Promise<T>,
): Promise<readonly [T, number]> => {
  let isRunning = true
  const takeSamples = async (): Promise<number> => {
    let sum = 0
    let samples = 0
    for (; isRunning; samples += 1) {
      sum += await sample()
      await setTimeout(msBetweenLooks)
    }
    return sum / samples
  }
  const samples = takeSamples()
  try {
    const result = await run()
    isRunning = false
    return [result, await samples]
  } finally {
    isRunning = false
    await samples
  }
}

const toFigures = (
  { requests, seconds, latencyMs }: LoadResult,
  { before, after, lockWaits, count }: { before: Counts; after: Counts; lockWaits: number; count: number },
): FleetFigures => {
  const perOperation = (name: keyof Counts): number => (after[name] - before[name]) / requests
  return {
    perSecond: requests / seconds,
    p50Ms: latencyMs.p50,
    p99Ms: latencyMs.p99,
    applicationCpuMs: 1_000 * perOperation('applicationCpuMs'),
    databaseCpuMs: 1_000 * perOperation('databaseCpuMs'),
    clientCpuMs: 1_000 * perOperation('clientCpuMs'),
    statements: perOperation('statements') + perOperation('scripts'),
    bytes: perOperation('bytes'),
    loggedBytes: perOperation('loggedBytes'),
    storedBytes: perOperation('storedBytes'),
    batch: (after.lookups - before.lookups) / Math.max(1, after.batches - before.batches),
    lockWaitMs: (1_000_000 * lockWaits * seconds) / requests,
    connections: after.connections,
    residentBytes: after.residentBytes / count,
  }
}
