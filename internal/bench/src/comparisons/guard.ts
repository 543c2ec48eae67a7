import type { Comparison, Effort, Findings, Setting } from '../comparison.js'
import { type CheckedServer, type Load, type ServerFigures, withLoad, withServer } from '../measure/measure-servers.js'
import { takeTurns } from '../measure/take-turns.js'
import type { ContenderFile } from '../processes/programs.js'
import { makeWorld } from '../world/make-world.js'
import type { StoreName, World } from '../world/world.js'
import { chooseContenders } from './choose-contenders.js'
import type { GuardFigures } from './guard-figures.js'
import { toGuardGoals } from './guard-goals.js'
import { toGuardTables } from './guard-tables.js'

const connections = 50
const ratePerSecond = 1_000
const warmUpRequests = 10_000
const stores: readonly StoreName[] = ['SQLite', 'PostgreSQL', 'MariaDB', 'Redis']

/** Guards over HTTP. */
export const guard: Comparison = {
  name: 'guard',
  summary: 'every guard on a small route: CPU above the bare framework, throughput, latency at a fixed rate',
  method: `One route responds with a small JSON body. The load uses ${connections} connections that stay open. It has three parts: a closed loop with one token for all requests, a closed loop with 10,000 tokens in turn, and a fixed rate of ${ratePerSecond} requests per second, which does not wait for earlier responses. At the fixed rate, latency counts from when each request was due.`,
  run: async (setting) => {
    const { world, drop } = await makeWorld({ tokens: setting.effort.isSmoke ? 60 : 10_000, stores })
    try {
      const contenders = chooseContenders(setting, 'guard', ['express', 'express-jwt'])
      return await compare(setting, contenders.filter(hasItsStore(world)), world)
    } finally {
      await drop()
    }
  },
}

const hasItsStore =
  ({ databaseUrls }: World) =>
  ({ name }: ContenderFile): boolean =>
    (databaseUrls.PostgreSQL !== undefined || !/postgres|knex/.test(name)) &&
    (databaseUrls.MariaDB !== undefined || !name.endsWith('mariadb')) &&
    (databaseUrls.Redis !== undefined || !name.endsWith('redis'))

const compare = ({ programs, effort, log }: Setting, contenders: readonly ContenderFile[], world: World) =>
  withLoad(programs, async (load): Promise<Findings> => {
    const measured = await takeTurns(
      contenders,
      async (contender, round) => {
        const figures = await withServer(programs, { contender, world, load }, (checked) =>
          measureGuard(checked, load, effort),
        )
        log(`round ${round + 1}: ${contender.name} ${Math.round(figures.manyTokens.cpuMicroseconds)} µs`)
        return figures
      },
      effort,
    )
    const all = new Map([...measured].map(([{ name }, figures]) => [name, figures]))
    return { tables: toGuardTables(all), goals: toGuardGoals(all) }
  })

const measureGuard = async (
  { server, measure }: CheckedServer,
  load: Load,
  { seconds, isSmoke }: Effort,
): Promise<GuardFigures> => {
  const { url, tokens } = server

  const closedLoop = async (used: readonly string[]): Promise<ServerFigures> => {
    const loop = { url, tokens: used, connections, seconds }
    // The warm-up has a number of requests, not a duration. Even on a busy machine, every token has then been sent, and the code is
    // compiled.
    const amount = isSmoke ? connections : Math.max(used.length, warmUpRequests)
    await load.call('closedLoop', { ...loop, amount })
    return measure(() => load.call('closedLoop', isSmoke ? { ...loop, amount } : loop))
  }

  return {
    server,
    oneToken: await closedLoop(tokens.slice(0, 1)),
    manyTokens: await closedLoop(tokens),
    fixedRate: await measure(
      () => load.call('fixedRate', { url, tokens, ratePerSecond, connections, seconds }),
      'is a result',
    ),
  }
}
