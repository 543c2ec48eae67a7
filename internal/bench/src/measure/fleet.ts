import { randomBytes } from 'node:crypto'
import { openAll } from '@jwt-auth/test-support'
import { type LoadResult, requireStatuses } from '../load/load-result.js'
import type { Visits } from '../load/visits.js'
import type { Programs } from '../processes/programs.js'
import { addUp, type Counts, type SharedStore } from '../world/shared-stores.js'
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
  readonly close: () => Promise<void>
}

const msBetweenSamples = 50

/**
 * Starts instances on a store. The caller must close them.
 *
 * @param contender the contender for journeys @default jwt-auth with the limits in the store
 */
export const startFleet = (programs: Programs, store: SharedStore, count: number, contender?: string): Promise<Fleet> =>
  openAll(async (keep) => {
    const load = programs.startLoad()
    const instances = Array.from({ length: count }, () => programs.startInstance())
    keep(() => Promise.all([load, ...instances].map(({ close }) => close())))
    const secret = randomBytes(48).toString('base64url')
    const urls = await Promise.all(instances.map(({ call }) => call.open(secret, store.urls, contender)))
    const run: Fleet['run'] = async (visits) => {
      const result = await load.call.visits({ ...visits, urls })
      // At a fixed rate, a missing response is the result of instances that cannot keep up.
      requireStatuses(visits.visit, result, visits.ratePerSecond === undefined ? ['200'] : ['200', '0'])
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
      const samples: Promise<number>[] = []
      const timer = setInterval(() => samples.push(store.countLockWaits()), msBetweenSamples)
      const { requests, seconds, latencyMs } = await run(visits).finally(() => clearInterval(timer))
      const lockWaits = (await Promise.all(samples)).reduce((sum, waiting) => sum + waiting / samples.length, 0)
      const after = await read()
      const difference = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0)
      return {
        perSecond: requests / seconds,
        p50Ms: latencyMs.p50,
        p99Ms: latencyMs.p99,
        applicationCpuMs: (1_000 * difference('applicationCpuMs')) / requests,
        databaseCpuMs: (1_000 * difference('databaseCpuMs')) / requests,
        clientCpuMs: (1_000 * difference('clientCpuMs')) / requests,
        statements: (difference('statements') + difference('scripts')) / requests,
        bytes: difference('bytes') / requests,
        loggedBytes: difference('loggedBytes') / requests,
        storedBytes: difference('storedBytes') / requests,
        batch: difference('lookups') / Math.max(1, difference('batches')),
        lockWaitMs: (1_000_000 * lockWaits * seconds) / requests,
        connections: after['connections'] ?? 0,
        residentBytes: (after['residentBytes'] ?? 0) / count,
      }
    }
    return { run, measure }
  })
