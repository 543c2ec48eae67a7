import { openAll, withOpened } from '@jwt-auth/test-support'
import { type Comparison, chooseContenders, type Effort, type Setting, toText } from '../comparison.js'
import { guards } from '../contenders/guards.js'
import { readCpuMs } from '../process-cpu.js'
import type { StoreName } from '../stores.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld, type World } from '../world.js'

const rates = [250, 1_000]

interface InstanceFigures {
  readonly ratePerSecond: number
  readonly cpuMicroseconds: number
  readonly databaseMicroseconds: number
  readonly p99Ms: number
}

/** The processes of one service on a store, over HTTP, with guarded requests at fixed rates. */
export const instances: Comparison = {
  name: 'instances',
  summary: 'Instances',
  run: async (setting) => {
    const { effort } = setting
    const names = Object.keys(guards).filter((name) => name.startsWith('ours-') && name !== 'ours-memory')
    const rows: string[][] = []
    for (const name of chooseContenders(effort, names)) {
      const { store = 'SQLite' } = guards[name] ?? {}
      await withOpened(makeWorld(effort.isSmoke ? 100 : 10_000, [store]), async ({ world }) => {
        if (world.stores[store] === undefined) return
        const measured = await takeTurns(
          countsOf(store, effort),
          (count) => measure(setting, { name, world, count }),
          effort,
        )
        for (const [count, rounds] of measured) rows.push(...toRows(`${store}, ${count} processes`, rounds.flat()))
      })
    }
    return [
      {
        caption: 'Guarded requests at a fixed rate, of all processes together. CPU in µs per request.',
        head: ['', 'per second', 'CPU processes', 'CPU database', 'p99 ms'],
        rows,
      },
    ]
  },
}

// Processes that write to one SQLite file concurrently respond with 503 under load.
const countsOf = (store: StoreName, { isSmoke }: Effort): readonly number[] =>
  store === 'SQLite' ? [1] : isSmoke ? [2] : [1, 4]

const toRows = (title: string, figures: readonly InstanceFigures[]): string[][] =>
  rates.map((rate) => {
    const own = figures.filter(({ ratePerSecond }) => ratePerSecond === rate)
    const toCell = (read: (figures: InstanceFigures) => number): string => toText(own.map(read))
    const cpu = toCell(({ cpuMicroseconds }) => cpuMicroseconds)
    const database = toCell(({ databaseMicroseconds }) => databaseMicroseconds)
    return [title, String(rate), cpu, database, toCell(({ p99Ms }) => p99Ms)]
  })

interface Turn {
  readonly name: string
  readonly world: World
  readonly count: number
}

const measure = (
  { start, effort, log }: Setting,
  { name, world, count }: Turn,
): Promise<readonly InstanceFigures[]> => {
  const opening = openAll(async (keep) => {
    const [load, ...servers] = [start(), ...Array.from({ length: count }, start)]
    keep(() => Promise.all([load, ...servers].map(({ close }) => close())))
    return { load, servers }
  })
  return withOpened(opening, async ({ load, servers }) => {
    const urls = await Promise.all(servers.map(({ call }) => call.openServer(name, world)))
    const { tokens, stores } = world
    const databaseIds = Object.values(stores).flatMap(({ processIds }) => processIds)
    const readCpu = () => ({
      ours: readCpuMs(servers.map(({ processId }) => processId)),
      database: readCpuMs(databaseIds),
    })
    for (const url of urls) {
      await load.call.runClosedLoop({ url, tokens, connections: 50, seconds: 0, amount: tokens.length })
    }
    const figures: InstanceFigures[] = []
    for (const ratePerSecond of rates) {
      const before = readCpu()
      const loop = { urls, tokens, connections: 64, ratePerSecond, seconds: effort.seconds }
      const { requests, p99Ms } = await load.call.runFixedRate(loop)
      const after = readCpu()
      figures.push({
        ratePerSecond,
        cpuMicroseconds: ((after.ours - before.ours) * 1_000) / requests,
        databaseMicroseconds: ((after.database - before.database) * 1_000) / requests,
        p99Ms,
      })
    }
    log(`${name}, ${count} processes`)
    return figures
  })
}
