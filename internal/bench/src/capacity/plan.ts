import type { FleetFigures } from '../measure/fleet.js'
import { type Calibration, type Kind, type Store, stores, toMedian } from './calibration.js'
import { type SimulatedFigures, simulate } from './simulation.js'

/** The load of a service: sessions, and operations per second. */
export type Load = Readonly<Record<Kind | 'sessions', number>>

/** Sessions last 30 days. Visitors send a request every 10 seconds, and refresh once an hour. */
export const toUsualLoad = (request: number, sessions: number): Load => ({
  request,
  sessions,
  refresh: Math.min(sessions, request * 10) / 3_600,
  login: sessions / (30 * 86_400),
})

/** The set-up for a load. The limit is what one database offers, and `Infinity` for what grows. */
export type Plan = ReturnType<typeof planCapacity>

/** How busy cores may be. Above this, latencies rise fast. */
const busyPart = 0.6

/** The limits of a database. Redis Cluster has up to 1,000 nodes: masters, and a replica of each. */
const limits = {
  cores: 64,
  masters: 500,
  connections: 500,
  memoryGb: 256,
  diskMbPerSecond: 500,
  networkMbPerSecond: 1_250,
}

/** The CPU time of one password hash at the default cost of 12: `npm run bench -- login`. */
const hashSeconds = 0.3

/** Plans as many instances as keep the core of each busy for {@link busyPart} of the time. */
export const planCapacity = (store: Store, { costs, rounds }: Calibration, load: Load, seed: number) => {
  const setUp = stores[store]
  const { connections, databaseThreads } = setUp
  const perSecond = load.request + load.login + load.refresh
  const simulateInstances = (instances: number, perInstance: number): SimulatedFigures => {
    // The client is not part of the service.
    const arrivalsOf = (visit: Kind) => ({
      costs: { ...costs[visit], client: { operation: 0, call: 0, cold: 0 } },
      ratePerSecond: (load[visit] / perSecond) * perInstance * instances,
    })
    return simulate({
      ...setUp,
      arrivals: [arrivalsOf('request'), arrivalsOf('login'), arrivalsOf('refresh')],
      ...{ instances, seconds: 2_000 / perInstance, seed },
    })
  }
  let [low, high] = [1, 1e6 / costs.request.application.operation]
  for (let step = 0; step < 10; step += 1) {
    const middle = (low + high) / 2
    if ((simulateInstances(1, middle).application.cpuMicros * middle) / 1e6 > busyPart) high = middle
    else low = middle
  }
  const exactInstances = perSecond / low
  const instances = Math.ceil(exactInstances)
  // So many keep each master of Redis busy for about half of the time.
  const simulated = Math.min(instances, 8 * setUp.masters)
  const figures = simulateInstances(simulated, perSecond / instances)
  const databaseCores = (figures.database.cpuMicros * perSecond) / 1e6 / busyPart

  const medians = rounds.flatMap(toMedian)
  const largest = (visit: Kind, name: keyof FleetFigures): number =>
    Math.max(0, ...medians.filter((each) => each.visit === visit).map((each) => each[name]))
  const sum = (name: 'bytes' | 'loggedBytes', kinds: readonly Kind[]): number =>
    kinds.reduce((total, visit) => total + load[visit] * largest(visit, name), 0) / 1e6
  const isCluster = store === 'redis-cluster'
  const mastersAtMost = isCluster ? limits.masters : 1
  const masters = isCluster ? Math.max(setUp.masters, Math.ceil(databaseCores)) : 1
  const connectionsOfInstance = { sqlite: 0, postgres: 10, mariadb: 10, redis: 1, 'redis-cluster': masters }[store]
  const unlimited = Number.POSITIVE_INFINITY
  const resources = [
    ['instances of one core', instances, '', store === 'sqlite' ? 1 : unlimited, exactInstances],
    ['memory of an instance', largest('request', 'residentBytes') / 1e6, 'MB', unlimited],
    ['cores for password hashes', load.login * hashSeconds, '', unlimited],
    ['masters', masters, '', isCluster ? limits.masters : unlimited, databaseCores],
    ['database cores', databaseCores, '', isCluster ? unlimited : databaseThreads === 1 ? 1 : limits.cores],
    [
      'connections',
      instances * connectionsOfInstance,
      '',
      connections === unlimited ? unlimited : limits.connections,
      exactInstances * connectionsOfInstance,
    ],
    [
      'memory for sessions',
      (load.sessions * largest('login', 'storedBytes')) / 1e9,
      'GB',
      limits.memoryGb * mastersAtMost,
    ],
    ['disk writes', sum('loggedBytes', ['login', 'refresh']), 'MB/s', limits.diskMbPerSecond * mastersAtMost],
    ['network', sum('bytes', ['request', 'login', 'refresh']), 'MB/s', limits.networkMbPerSecond * mastersAtMost],
  ] as const
  const listed = resources.map(([name, needed, unit, limit, exact = needed]) => ({ name, needed, unit, limit, exact }))
  const first = listed.reduce((a, b) => (b.exact / b.limit > a.exact / a.limit ? b : a))
  const saturatesFirst = { name: first.name, requests: roundDown((load.request * first.limit) / first.exact) }
  const lookupMicros = figures.calls * costs.request.application.call
  return { resources: listed, saturatesFirst, figures, lookupMicros }
}

/** Rounds down to two significant digits, so that the limit itself still fits. */
const roundDown = (value: number): number => {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1)
  return Math.floor(value / unit) * unit
}
