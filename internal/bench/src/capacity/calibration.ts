import { readFile } from 'node:fs/promises'
import { type InstancesRecord, toMedians } from '../comparisons/instances.js'
import type { Visit } from '../load/visits.js'
import { median } from '../measure/statistics.js'
import { type Costs, type Cpu, type SimulatedFigures, simulate } from './simulation.js'

const sql = { login: 4, isBatched: true, connections: 10, masters: 1, databaseThreads: 64 }
const redis = { ...sql, connections: Number.POSITIVE_INFINITY, databaseThreads: 1 }

/** How an instance calls each store: the calls of a login, and what a simulation needs to know. */
export const stores = {
  sqlite: { ...sql, connections: Number.POSITIVE_INFINITY, databaseThreads: 0 },
  postgres: sql,
  mariadb: sql,
  redis,
  'redis-cluster': { ...redis, isBatched: false, masters: 3 },
} as const
export type Store = keyof typeof stores

/** The kinds of operations that are calibrated. */
export type Kind = Extract<Visit, 'request' | 'login' | 'refresh'>

/** The costs of a store, and the rounds of each measurement of it. */
export type Calibration = Awaited<ReturnType<typeof calibrateStore>>

/** Reads the recording of a store, and calibrates it on 1 and 2 instances. */
export const calibrateStore = async (store: Store) => {
  const file = new URL('../../recordings/instances.json', import.meta.url)
  const runs: readonly { readonly instances: readonly InstancesRecord[] }[] = JSON.parse(await readFile(file, 'utf8'))
  const records = runs.flatMap(({ instances }) => instances).filter((record) => record.store === store)
  const loadOf = ({ visit, instances, ratePerSecond }: InstancesRecord): string =>
    `${visit} ${instances} ${ratePerSecond}`
  const loads = [...new Set(records.map(loadOf))]
  const rounds = loads.map((load) => records.filter((record) => loadOf(record) === load))
  const costsOf = (visit: Kind): Costs => calibrate(store, visit, rounds.flatMap(toMedian))
  return { rounds, costs: { request: costsOf('request'), login: costsOf('login'), refresh: costsOf('refresh') } }
}

/** Combines the rounds of one measurement. */
export const toMedian = (rounds: readonly InstancesRecord[]): readonly InstancesRecord[] =>
  toMedians(rounds.map((round) => [round]))

/** Simulates what was measured, on the machine with 2 cores and with the 64 clients of the bench. */
export const repeat = (costs: Costs, record: InstancesRecord): SimulatedFigures =>
  simulate({
    ...(Object.entries(stores).find(([store]) => store === record.store)?.[1] ?? sql),
    ...(record.ratePerSecond === 0 ? { clients: 64 } : {}),
    arrivals: [{ costs, ratePerSecond: record.ratePerSecond }],
    instances: record.instances,
    sharedCores: 2,
    // A timer of Node.
    clientMicros: 1_000,
    seconds: operationsInSimulation / record.perSecond,
    seed: 1,
  })

const operationsInSimulation = 4_000
/** Chosen so that 4 and 8 processes fit too, like the constants of machine.ts. */
const coolingMicros = 4_000

/** Finds the costs of one kind of visit with which a simulation repeats measurements. */
const calibrate = (store: Store, visit: Kind, medians: readonly InstancesRecord[]): Costs => {
  const records = medians.filter((record) => record.visit === visit && record.instances <= 2)
  const { isBatched, login } = stores[store]
  const calls = visit === 'login' ? login : visit === 'refresh' ? 2 : 1
  const none = { operation: 0, call: 0, cold: 0 }
  const start = { calls, isBatched: isBatched && visit === 'request', wait: 0, coolingMicros, stall: 1_000 }
  let costs: Costs = { ...start, application: { ...none, operation: 100 }, database: none, client: none }
  for (let round = 0; round < 5; round += 1) {
    const simulated = records.map((record) => ({ record, figures: repeat(costs, record) }))
    const fit = (name: 'application' | 'database' | 'client', countsCalls = 1): Cpu =>
      solve(
        simulated.map(({ record, figures }) => {
          const total = Math.max(1, record[`${name}CpuMs`])
          return [1 / total, (countsCalls * figures.calls) / total, figures[name].coldTurns / total]
        }),
      )
    const atRates = simulated.filter(({ record }) => record.ratePerSecond > 0)
    const late = median(atRates.map(({ record, figures }) => 1_000 * (record.p50Ms - figures.p50Ms)))
    // Only writes wait for the disk.
    const wait = visit === 'request' ? 0 : Math.max(0, costs.wait + late / calls)
    const stall = costs.stall * median(atRates.map(({ record, figures }) => record.p99Ms / figures.p99Ms))
    const programs = { application: fit('application'), database: fit('database'), client: fit('client', 0) }
    costs = { ...costs, ...programs, wait, stall }
  }
  return costs
}

/** Finds the costs, at least 0, whose products with each row add up to 1 best, by least squares. */
const solve = (rows: readonly (readonly number[])[]): Cpu => {
  const costs = [0, 0, 0]
  for (let step = 0; step < 6_000; step += 1) {
    const column = step % costs.length
    let [numerator, denominator] = [0, 1e-12]
    for (const row of rows) {
      const others = row.reduce((sum, count, place) => sum + (place === column ? 0 : count * (costs[place] ?? 0)), 0)
      numerator += (row[column] ?? 0) * (1 - others)
      denominator += (row[column] ?? 0) ** 2
    }
    costs[column] = Math.max(0, numerator / denominator)
  }
  const [operation = 0, call = 0, cold = 0] = costs
  return { operation, call, cold }
}
