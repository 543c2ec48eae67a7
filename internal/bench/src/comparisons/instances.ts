import { isPresent, withOpened } from '@jwt-auth/test-support'
import type { Comparison, Setting } from '../comparison.js'
import type { Visit } from '../load/visits.js'
import { type FleetFigures, startFleet } from '../measure/fleet.js'
import { canReadCpu } from '../measure/process-cpu.js'
import { median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { type Table, toText } from '../table.js'
import { findSharedStores, type SharedStore } from '../world/shared-stores.js'

/** The figures of one kind of visit, on so many instances. */
export interface InstancesRecord extends FleetFigures {
  readonly store: string
  readonly visit: Visit
  readonly instances: number
  /** The fixed rate. 0 when clients wait for their responses. */
  readonly ratePerSecond: number
}

/** The fixed rates of each visit, and the number with which each instance warms up. */
const visits = {
  login: { rates: [50, 200], warmUp: 600 },
  request: { rates: [250, 1_000], warmUp: 6_000 },
  refresh: { rates: [75, 300], warmUp: 600 },
} as const

const clients = 64

/** The processes of one service on a store that the bench starts, over HTTP. */
export const instances: Comparison = {
  name: 'instances',
  summary: '1, 2, 4 and 8 processes on one store: CPU of application and database, statements, batches, latency',
  run: async (setting) => {
    if (!canReadCpu()) throw new Error('This comparison reads CPU times from /proc, which only Linux has.')
    const { only, isSmoke } = setting.effort
    const tables: Table[] = []
    for (const { key, name, start } of findSharedStores().filter(isPresent)) {
      if (only.length > 0 && !only.includes(key)) continue
      setting.effort.signal.throwIfAborted()
      await withOpened(start(), async (store) => {
        const measured = await takeTurns(
          findCounts(key, isSmoke),
          (count, round) => measureInstances(setting, { key, store, count, round }),
          { ...setting.effort, concurrency: 1 },
        )
        tables.push(toTable(name, [...measured.values()]))
      })
    }
    return tables
  },
}

// Processes that write to one SQLite file concurrently respond with 503 under this load.
const findCounts = (key: string, isSmoke: boolean): readonly number[] => {
  if (key === 'sqlite') return [1]
  return isSmoke ? [2] : [1, 2, 4, 8]
}

interface Turn {
  readonly key: string
  readonly store: SharedStore
  readonly count: number
  readonly round: number
}

const measureInstances = (
  { programs, effort, log }: Setting,
  { key, store, count, round }: Turn,
): Promise<readonly InstancesRecord[]> => {
  const visitors = effort.isSmoke ? clients : 1_000
  return withOpened(startFleet(programs, store, count), async (fleet) => {
    const records: InstancesRecord[] = []
    for (const visit of ['login', 'request', 'refresh'] as const) {
      const { rates, warmUp } = visits[visit]
      // The first logins are those of all visitors.
      const amount = effort.isSmoke ? visitors : Math.max(visitors, warmUp * count)
      await fleet.run({ visit, visitors, clients, seconds: 0, amount })
      for (const ratePerSecond of [0, ...rates]) {
        const rate = ratePerSecond > 0 ? { ratePerSecond } : {}
        const figures = await fleet.measure({ visit, visitors, clients, seconds: effort.seconds, ...rate })
        records.push({ store: key, visit, instances: count, ratePerSecond, ...figures })
      }
    }
    log(`round ${round + 1}: ${key}, ${count} processes`)
    return records
  })
}

/** Combines the records of all rounds. */
export const toMedians = (rounds: readonly (readonly InstancesRecord[])[]): readonly InstancesRecord[] => {
  const [first = []] = rounds
  return first.map((record, place) => {
    const figures = Object.entries(record).flatMap(([name, value]) => {
      const values = rounds.map((round) => Number(Reflect.get(Object(round[place]), name)))
      return typeof value === 'number' ? [[name, median(values)] as const] : []
    })
    return { ...record, ...Object.fromEntries(figures) }
  })
}

const toTable = (store: string, measured: readonly (readonly (readonly InstancesRecord[])[])[]): Table => ({
  caption: `On ${store}. CPU in ms, and waits for locks in ms, per 1,000 operations:`,
  head: [
    ...['', 'processes', 'per second', 'CPU application', 'CPU database', 'statements', 'bytes'],
    ...['batch', 'connections', 'lock waits', 'p50 ms', 'p99 ms'],
  ],
  rows: measured
    .flatMap(toMedians)
    .map((record) => [
      `${record.visit}, ${record.ratePerSecond > 0 ? 'fixed rate' : `${clients} clients`}`,
      ...[record.instances, record.perSecond, record.applicationCpuMs, record.databaseCpuMs].map(toText),
      ...[record.statements, record.bytes, record.batch, record.connections].map(toText),
      ...[record.lockWaitMs, record.p50Ms, record.p99Ms].map(toText),
    ]),
  records: measured.flat(2),
})
