import { withOpened } from '@jwt-auth/test-support'
import type { Comparison, Setting } from '../comparison.js'
import { journeys } from '../contenders/journeys.js'
import { type FleetFigures, startFleet } from '../measure/fleet.js'
import { canReadCpu } from '../measure/process-cpu.js'
import { inPairs, median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { type Table, withSpread } from '../table.js'
import { findSharedStores } from '../world/shared-stores.js'
import { chooseContenders } from './compare-operations.js'

const baseline = 'ours-journey'

/** Logins, 20 guarded requests, a refresh and a logout of many clients, over HTTP on PostgreSQL. */
export const journey: Comparison = {
  name: 'journey',
  summary: 'a login, 20 requests, a refresh and a logout on PostgreSQL: CPU of application and database',
  run: async (setting) => {
    if (!canReadCpu()) throw new Error('This comparison reads CPU times from /proc, which only Linux has.')
    const store = findSharedStores().find(({ key }) => key === 'postgres')
    if (store === undefined || store.missing !== undefined) return []
    const names = chooseContenders(setting.effort, Object.keys(journeys), baseline)
    const turns = { ...setting.effort, concurrency: 1 }
    return [toTable(await takeTurns(names, (name, round) => measure(setting, store, { name, round }), turns))]
  },
}

const measure = (
  { programs, effort, log }: Setting,
  { start }: ReturnType<typeof findSharedStores>[number],
  { name, round }: { readonly name: string; readonly round: number },
): Promise<FleetFigures> =>
  withOpened(start(), (store) =>
    withOpened(startFleet(programs, store, 1, name), async (fleet) => {
      const load = { visit: 'journey', visitors: 1_000, clients: 32, seconds: effort.seconds } as const
      await fleet.run({ ...load, amount: effort.isSmoke ? 2 : 300 })
      const figures = await fleet.measure(effort.isSmoke ? { ...load, amount: 2 } : load)
      log(`round ${round + 1}: ${name} ${Math.round(readCpu(figures))} µs`)
      return figures
    }),
  )

const readCpu = ({ applicationCpuMs, databaseCpuMs }: FleetFigures): number => applicationCpuMs + databaseCpuMs

const toTable = (measured: ReadonlyMap<string, readonly FleetFigures[]>): Table => ({
  caption: 'CPU in ms per journey. No contender hashes passwords:',
  head: ['', 'journeys per second', 'CPU application', 'CPU database', 'CPU / jwt-auth', 'does not have'],
  rows: [...measured]
    .toSorted(([, one], [, other]) => median(one.map(readCpu)) - median(other.map(readCpu)))
    .map(([name, rounds]) => [
      journeys[name]?.title ?? '',
      withSpread(rounds.map(({ perSecond }) => perSecond)),
      withSpread(rounds.map(({ applicationCpuMs }) => applicationCpuMs / 1_000)),
      withSpread(rounds.map(({ databaseCpuMs }) => databaseCpuMs / 1_000)),
      withSpread(inPairs(rounds.map(readCpu), (measured.get(baseline) ?? []).map(readCpu), (one, ours) => one / ours)),
      journeys[name]?.omits ?? '',
    ]),
})
