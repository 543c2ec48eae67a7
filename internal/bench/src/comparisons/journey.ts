import { isPresent, withOpened } from '@jwt-auth/test-support'
import { type Comparison, chooseContenders, inPairs, median, type Setting, type Table, toText } from '../comparison.js'
import { journeys } from '../contenders/journeys.js'
import { readCpuMs } from '../process-cpu.js'
import { findStores, type Store } from '../stores.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld } from '../world.js'

const baseline = 'ours-journey'
const clients = 32

/** Logins, 20 guarded requests, a refresh and a logout of many clients, over HTTP on PostgreSQL. */
export const journey: Comparison = {
  name: 'journey',
  summary: 'Journeys',
  run: async (setting) => {
    const kind = findStores().find(({ name }) => name === 'PostgreSQL')
    if (kind === undefined || !isPresent(kind)) return []
    const names = chooseContenders(setting.effort, Object.keys(journeys), baseline)
    const measureOne = (name: string) => withOpened(kind.start(), (store) => measure(setting, name, store))
    return [toTable(await takeTurns(names, measureOne, setting.effort))]
  },
}

/** CPU in milliseconds per journey. */
type JourneyFigures = Awaited<ReturnType<typeof measure>>

const measure = (
  { start, effort: { seconds, isSmoke }, log }: Setting,
  name: string,
  { url: databaseUrl, processIds }: Store,
) =>
  withOpened(start(), ({ call: load }) =>
    withOpened(start(), async ({ call: server, processId }) => {
      const { world } = await makeWorld(0)
      const url = await server.openServer(name, { ...world, stores: { PostgreSQL: { url: databaseUrl, processIds } } })
      await load.runJourneys({ url, clients, seconds, amount: isSmoke ? 2 : 300 })
      const before = { application: readCpuMs([processId]), database: readCpuMs(processIds) }
      const run = await load.runJourneys({ url, clients, seconds, ...(isSmoke && { amount: 2 }) })
      const figures = {
        perSecond: run.journeys / run.seconds,
        applicationMs: (readCpuMs([processId]) - before.application) / run.journeys,
        databaseMs: (readCpuMs(processIds) - before.database) / run.journeys,
      }
      log(`${name} ${readCpu(figures).toPrecision(3)} ms`)
      return figures
    }),
  )

const readCpu = ({ applicationMs, databaseMs }: JourneyFigures): number => applicationMs + databaseMs

const toTable = (measured: ReadonlyMap<string, readonly JourneyFigures[]>): Table => ({
  caption: `${clients} clients log in, send 20 guarded requests, refresh and log out, on PostgreSQL. No contender hashes passwords. CPU in ms per journey.`,
  head: ['', 'journeys per second', 'CPU application', 'CPU database', 'CPU / jwt-auth', 'does not have'],
  rows: [...measured]
    .toSorted(([, one], [, other]) => median(one.map(readCpu)) - median(other.map(readCpu)))
    .map(([name, rounds]) => [
      journeys[name]?.title ?? '',
      toText(rounds.map(({ perSecond }) => perSecond)),
      toText(rounds.map(({ applicationMs }) => applicationMs)),
      toText(rounds.map(({ databaseMs }) => databaseMs)),
      toText(inPairs(rounds.map(readCpu), (measured.get(baseline) ?? []).map(readCpu), (one, our) => one / our)),
      journeys[name]?.omits ?? '',
    ]),
})
