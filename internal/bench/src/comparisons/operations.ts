import { defaultConcurrency } from '@jwt-auth/passwords/internal/hashing-queue'
import { withOpened } from '@jwt-auth/test-support'
import { type Comparison, chooseContenders, inPairs, median, type Setting, type Table, toText } from '../comparison.js'
import { operations, sessionCount } from '../contenders/operations.js'
import { startCountingProxy } from '../load/counting-proxy.js'
import { readCpuMs } from '../process-cpu.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld, type World } from '../world.js'

/** Logins, without HTTP: with a hash, and what they cost besides the hash. */
export const login: Comparison = {
  name: 'login',
  summary: 'Logins',
  run: async (setting) => {
    const { world } = await makeWorld(0)
    // The queue runs as many hashes concurrently, so that both contenders keep the same number of
    // threads busy.
    const clients = defaultConcurrency()
    const tables: Table[] = []
    for (const cost of setting.effort.isSmoke ? [4] : [10, 12]) {
      const group = `bcrypt cost ${cost}`
      const caption =
        tables.length > 0
          ? `The same with ${group}.`
          : `As many clients log in as hashes may run concurrently (${clients}), with ${group}.`
      tables.push(await compare(setting, { group, baseline: 'bcrypt', caption, clients, warmUp: 2, world }))
    }
    return [...tables, ...(await measureRest(setting))]
  },
}

/** Refreshes on PostgreSQL, without HTTP. */
export const refresh: Comparison = {
  name: 'refresh',
  summary: 'Refreshes',
  run: (setting) => {
    const clients = 32
    const { isSmoke } = setting.effort
    return withOpened(makeWorld(isSmoke ? clients : sessionCount, ['PostgreSQL']), async ({ world }) => {
      if (world.stores.PostgreSQL === undefined) return []
      const warmUp = isSmoke ? clients : 2 * sessionCount
      const tables: Table[] = []
      for (const group of ['statements not prepared', 'statements prepared']) {
        const caption =
          tables.length > 0
            ? `The same with ${group}.`
            : `${clients} clients refresh on PostgreSQL through ten connections, without HTTP, with ${group}.`
        tables.push(await compare(setting, { group, baseline: 'pg', caption, clients, warmUp, world }))
      }
      return tables
    })
  },
}

interface Plan {
  readonly group: string
  /** The name of the contender that the others are compared with. */
  readonly baseline: string
  readonly caption: string
  readonly clients: number
  readonly warmUp: number
  readonly world: World
}

/** Measures every contender of a group, each in its own process. */
const compare = async (
  { start, effort, log }: Setting,
  { group, baseline, caption, clients, warmUp, world }: Plan,
): Promise<Table> => {
  const contenders = operations[group] ?? {}
  const databaseIds = world.stores.PostgreSQL?.processIds
  const measure = (name: string) =>
    withOpened(start(), async ({ call, processId }) => {
      await call.openOperation(group, name, world)
      // A number of runs rather than a time: on a busy machine, a second may pass before the code is
      // compiled.
      await call.runOperation({ clients, seconds: 0, minRuns: warmUp })
      const readCpu = () => [readCpuMs([processId]), ...(databaseIds === undefined ? [] : [readCpuMs(databaseIds)])]
      const before = readCpu()
      const taken = await call.runOperation({ clients, seconds: effort.seconds, minRuns: 1 })
      const cpu = readCpu().map((after, place) => (after - (before[place] ?? 0)) / taken.runs)
      // With several clients, the inverse of the throughput.
      const milliseconds = taken.milliseconds / taken.runs
      log(`${group}, ${name} ${milliseconds.toPrecision(3)} ms`)
      return { milliseconds, cpu }
    })
  const measured = await takeTurns(chooseContenders(effort, Object.keys(contenders), baseline), measure, effort)
  const timesOf = (name: string) => (measured.get(name) ?? []).map(({ milliseconds }) => milliseconds)
  const cpuColumns = ['CPU ms', ...(databaseIds === undefined ? [] : ['CPU ms database'])]
  return {
    caption,
    head: ['', 'per second', 'ms', 'time / baseline', ...cpuColumns],
    rows: [...measured.keys()]
      .toSorted((one, other) => median(timesOf(one)) - median(timesOf(other)))
      .map((name) => [
        contenders[name]?.title ?? '',
        toText(timesOf(name).map((one) => 1_000 / one)),
        toText(timesOf(name)),
        toText(inPairs(timesOf(name), timesOf(baseline), (one, other) => one / other)),
        ...cpuColumns.map((_, place) => toText((measured.get(name) ?? []).map(({ cpu }) => cpu[place] ?? Number.NaN))),
      ]),
  }
}

/** Measures what logins on PostgreSQL cost besides the hash. */
const measureRest = ({ start, effort, log }: Setting): Promise<readonly Table[]> =>
  withOpened(makeWorld(0, ['PostgreSQL']), async ({ world }) => {
    const store = world.stores.PostgreSQL
    if (store === undefined) return []
    const group = 'login besides the hash'
    const contenders = operations[group] ?? {}
    const measure = (name: string) =>
      withOpened(startCountingProxy(store.url), ({ url, traffic }) =>
        withOpened(start(), async ({ call, processId }) => {
          await call.openOperation(group, name, { ...world, stores: { PostgreSQL: { ...store, url } } })
          const read = () => ({ ...traffic, cpu: readCpuMs([processId]), databaseCpu: readCpuMs(store.processIds) })
          const load = { clients: 8, seconds: 0, minRuns: effort.isSmoke ? 8 : 2_000 }
          await call.runOperation(load)
          const before = read()
          const { runs } = await call.runOperation({ ...load, seconds: effort.seconds })
          const after = read()
          log(`${group}, ${name}`)
          const perLogin = (figure: keyof typeof after) => (after[figure] - before[figure]) / runs
          return (['roundTrips', 'cpu', 'databaseCpu', 'sentBytes', 'receivedBytes'] as const).map(perLogin)
        }),
      )
    const measured = await takeTurns(chooseContenders(effort, Object.keys(contenders)), measure, effort)
    const rows = [...measured].map(([name, rounds]) => [
      contenders[name]?.title ?? '',
      ...[0, 1, 2, 3, 4].map((column) => toText(rounds.map((figures) => figures[column] ?? Number.NaN))),
    ])
    return [
      {
        caption:
          'The rest of a login on PostgreSQL, with limits for all instances, without HTTP. The application checks the password. CPU in ms.',
        head: ['', 'round trips', 'CPU application', 'CPU database', 'bytes sent', 'bytes received'],
        rows,
      },
    ]
  })
