import { defaultConcurrency } from '@jwt-auth/passwords/internal/hashing-queue'
import { withOpened } from '@jwt-auth/test-support'
import { type Comparison, chooseContenders, inPairs, median, type Setting, type Table, toText } from '../comparison.js'
import { operations, sessionCount } from '../contenders/operations.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld, type World } from '../world.js'

/** Logins, without HTTP. */
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
      const caption = `As many clients log in as hashes may run concurrently (${clients}), with ${group}.`
      tables.push(await compare(setting, { group, baseline: 'bcrypt', caption, clients, warmUp: 2, world }))
    }
    return tables
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
        const caption = `${clients} clients refresh on PostgreSQL through ten connections, without HTTP, with ${group}.`
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
  const measure = (name: string): Promise<number> =>
    withOpened(start(), async ({ call }) => {
      await call.openOperation(group, name, world)
      // A number of runs rather than a time: on a busy machine, a second may pass before the code is
      // compiled.
      await call.runOperation({ clients, seconds: 0, minRuns: warmUp })
      const milliseconds = await call.runOperation({ clients, seconds: effort.seconds, minRuns: 1 })
      log(`${group}, ${name} ${milliseconds.toPrecision(3)} ms`)
      return milliseconds
    })
  const measured = await takeTurns(chooseContenders(effort, Object.keys(contenders), baseline), measure, effort)
  const baselines = measured.get(baseline) ?? []
  return {
    caption,
    head: ['', 'per second', 'ms', 'time / baseline'],
    rows: [...measured]
      .toSorted(([, one], [, other]) => median(one) - median(other))
      .map(([name, figures]) => [
        contenders[name]?.title ?? '',
        toText(figures.map((one) => 1_000 / one)),
        toText(figures),
        toText(inPairs(figures, baselines, (one, other) => one / other)),
      ]),
  }
}
