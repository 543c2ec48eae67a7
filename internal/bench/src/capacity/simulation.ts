import { median, quantile } from '../measure/statistics.js'
import { createEventQueue, createRandom } from './event-queue.js'
import { createCores, createProgram, type Program, type RunTurn, type Task } from './machine.js'

/** The CPU time of a program: for an operation, a call of the database, a turn after a long pause. */
export type Cpu = Readonly<Record<'operation' | 'call' | 'cold', number>>

/**
 * What operations of one kind cost, in microseconds. `calls` of the database follow each other, and
 * `isBatched` says whether the lookups of several operations are one call. A call takes `wait`
 * without CPU time: the disk, and locks. After a pause of `coolingMicros`, caches are cold by 63 per
 * cent. `stall` is the mean time for which a program stops once in 300 turns.
 */
export type Costs = Readonly<
  Record<'application' | 'database' | 'client', Cpu> &
    Record<'calls' | 'wait' | 'coolingMicros' | 'stall', number> & { isBatched: boolean }
>

/** Operations of one kind, which arrive at random moments. */
type Arrivals = Readonly<{ costs: Costs; ratePerSecond: number }>

/** A call of the database that an operation needs. */
type Lookup = Readonly<{ costs: Costs; found: () => void }>

/** What is simulated. */
export interface SimulationPlan {
  readonly arrivals: readonly [Arrivals, ...Arrivals[]]
  /** How many clients send the first kind of operations, each after a response, instead of a rate. */
  readonly clients?: number
  readonly instances: number
  /** Connections of each instance. `Infinity` when one connection has many calls in flight. */
  readonly connections: number
  /** The databases that share the calls. */
  readonly masters: number
  /** The number of calls that a database executes concurrently. 0 when it is part of the instance. */
  readonly databaseThreads: number
  /** The cores for everything. Without them, each program has the cores that it needs. */
  readonly sharedCores?: number
  /** The client wakes up so often, and sends what is due. */
  readonly clientMicros?: number
  readonly seconds: number
  readonly seed: number
}

const any = Number.POSITIVE_INFINITY
const turnsPerStall = 300
/** The limits of the service: packages/core/src/checked/coalesced-lookup.ts. */
const maxBatchesInFlight = 4
const maxLookupsInBatch = 500

/** Figures for each operation. `batch` is the number of lookups in a call. */
export type SimulatedFigures = ReturnType<typeof simulate>

/** Simulates instances of a service, their clients and their database. */
export const simulate = (plan: SimulationPlan) => {
  const events = createEventQueue()
  const random = createRandom(plan.seed)
  const shared = plan.sharedCores === undefined ? undefined : createCores(events, plan.sharedCores)
  const coresOf = (count: number): RunTurn => shared ?? createCores(events, count)
  const { costs: mainCosts } = plan.arrivals[0]
  const { coolingMicros } = mainCosts
  const stall = (): number => (random() < 1 / turnsPerStall ? -Math.log(1 - random()) * mainCosts.stall : 0)
  const createThread = ({ cold }: Cpu, afterTurn?: () => Task | undefined): Program =>
    createProgram(events, {
      ...{ runTurn: coresOf(1), threads: 1, tasksInTurn: any },
      ...{ coldMicros: cold, coolingMicros, stall, afterTurn },
    })
  const isOneThread = plan.databaseThreads === 1
  const threads = Math.max(1, plan.databaseThreads)
  const createDatabase = (): Program =>
    createProgram(events, {
      runTurn: coresOf(threads),
      threads,
      tasksInTurn: isOneThread ? any : 1,
      coldMicros: mainCosts.database.cold,
      coolingMicros,
      // A database with one thread does nothing else while it waits for the disk.
      blockedMicros: isOneThread ? mainCosts.wait : 0,
    })
  const databases = Array.from({ length: plan.masters }, createDatabase)
  const client = createThread(mainCosts.client)
  const counts = { sent: 0, lookups: 0, calls: 0 }

  /** Creates a program with one thread, its connections and its batches. */
  const createInstance = () => {
    const waiting: (readonly Lookup[])[] = []
    const lookups: Lookup[] = []
    let free = plan.connections
    let batchesInFlight = 0

    const call = (batch: readonly Lookup[]): void => {
      if (free === 0) return void waiting.push(batch)
      const { costs = mainCosts } = batch[0] ?? {}
      counts.calls += 1
      counts.lookups += batch.length
      free -= 1
      const micros = costs.database.call + (batch.length / costs.calls) * costs.database.operation
      const wait = isOneThread ? 0 : costs.wait
      const done = (): void => events.at(events.now() + wait, () => finish(batch))
      if (plan.databaseThreads === 0) done()
      else databases[counts.calls % databases.length]?.add({ micros, done })
    }
    const finish = (batch: readonly Lookup[]): void => {
      free += 1
      if (batch[0]?.costs.isBatched) batchesInFlight -= 1
      for (const { found } of batch) found()
      const next = waiting.shift()
      if (next !== undefined) call(next)
    }
    /** Returns the task that sends the lookups which wait. */
    const takeBatch = (): Task | undefined => {
      const batch = batchesInFlight < maxBatchesInFlight ? lookups.splice(0, maxLookupsInBatch) : []
      if (batch.length === 0) return undefined
      batchesInFlight += 1
      return { micros: mainCosts.application.call, done: () => call(batch) }
    }
    const program = createThread(mainCosts.application, takeBatch)
    const serve = (costs: Costs, respond: () => void, callsLeft = costs.calls): void =>
      program.add({
        micros: costs.application.operation / (costs.calls + 1),
        done: () => {
          const lookup = { costs, found: () => serve(costs, respond, callsLeft - 1) }
          if (callsLeft === 0) respond()
          else if (costs.isBatched) lookups.push(lookup)
          else program.add({ micros: costs.application.call, done: () => call([lookup]) })
        },
      })
    return { program, serve }
  }

  const instances = Array.from({ length: plan.instances }, createInstance)
  const latencies: number[] = []
  const send = (costs: Costs, dueAt: number, received: () => void): void => {
    const receive = (): void => {
      latencies.push((events.now() - dueAt) / 1_000)
      received()
    }
    const micros = costs.client.operation / 2
    counts.sent += 1
    instances[counts.sent % instances.length]?.serve(costs, () => client.add({ micros, done: receive }))
  }
  const sendAll = (costs: Costs, due: readonly number[], received = () => {}): void => {
    const micros = (due.length * costs.client.operation) / 2
    if (due.length > 0) client.add({ micros, done: () => due.forEach((dueAt) => void send(costs, dueAt, received)) })
  }
  const findNext = ({ ratePerSecond }: Arrivals, last: number): number =>
    last - (Math.log(1 - random()) / ratePerSecond) * 1e6
  const arrive = (each: Arrivals, first: number): void => {
    const due: number[] = []
    let next = first
    for (; next <= events.now(); next = findNext(each, next)) due.push(next)
    sendAll(each.costs, due)
    const { clientMicros = 0 } = plan
    const sleep = Math.max(1, Math.floor((next - events.now()) / clientMicros)) * clientMicros
    events.at(clientMicros === 0 ? next : events.now() + sleep, () => arrive(each, next))
  }
  const repeat = (): void => sendAll(mainCosts, [events.now()], repeat)

  if (plan.clients === undefined) for (const each of plan.arrivals) arrive(each, findNext(each, 0))
  else for (let number = 0; number < plan.clients; number += 1) repeat()
  events.runUntil(plan.seconds * 1e6)

  const operations = latencies.length
  const toUsed = (programs: readonly Program[]): Program['used'] => ({
    cpuMicros: programs.reduce((sum, { used }) => sum + used.cpuMicros, 0) / operations,
    coldTurns: programs.reduce((sum, { used }) => sum + used.coldTurns, 0) / operations,
  })
  return {
    application: toUsed(instances.map(({ program }) => program)),
    database: toUsed(databases),
    client: toUsed([client]),
    calls: counts.calls / operations,
    batch: counts.lookups / counts.calls,
    p50Ms: median(latencies),
    p99Ms: quantile(latencies, 0.99),
  }
}
