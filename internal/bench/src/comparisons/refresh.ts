import type { Comparison, Setting } from '../comparison.js'
import { isPrismaInstalled } from '../contenders/prisma-folder.js'
import { makeWorld } from '../world/make-world.js'
import type { StoreName, World } from '../world/world.js'
import { type ComparedOperations, compareOperations, type OperationPlan } from './compare-operations.js'

const clients = 32
const stores: readonly StoreName[] = ['PostgreSQL', 'MariaDB', 'SQLite']

/** Refreshes in a SQL database, without HTTP. */
export const refresh: Comparison = {
  name: 'refresh',
  summary: 'a refresh through each SQL client, and on PostgreSQL the two statements of a refresh through pg alone',
  method: `${clients} clients in one process refresh repeatedly, each with its own session. They share ten connections (on SQLite, one connection). Users are in memory, and there is no HTTP.`,
  run: async (setting) => {
    const { world, drop } = await makeWorld({ tokens: 1_000, stores })
    try {
      const found = stores.filter((store) => world.databaseUrls[store] !== undefined)
      const compared = new Map<StoreName, ComparedOperations>()
      for (const store of found) compared.set(store, await compareOn(setting, world, store))
      return {
        tables: [...compared.values()].map(({ table }) => table),
        goals: [...compared].flatMap(([store, { timeRatio }]) => (store === 'PostgreSQL' ? toGoals(timeRatio) : [])),
      }
    } finally {
      await drop()
    }
  },
}

const plans: Readonly<Partial<Record<StoreName, Pick<OperationPlan, 'group' | 'limit' | 'limitTitle'>>>> = {
  PostgreSQL: { group: 'refresh', limit: 'raw-driver' },
  MariaDB: { group: 'refresh-mariadb', limit: 'ours', limitTitle: 'knex' },
  SQLite: { group: 'refresh-sqlite', limit: 'ours', limitTitle: 'knex' },
}

const compareOn = (setting: Setting, world: World, store: StoreName): Promise<ComparedOperations> =>
  compareOperations(setting, {
    ...(plans[store] ?? { group: 'refresh', limit: 'raw-driver' }),
    omitted: absentContenders(),
    caption: `On ${store}:`,
    load: { clients, runsBetweenLooks: 1, warmUpRuns: setting.effort.isSmoke ? clients : 3_000 },
    world,
  })

const absentContenders = (): readonly string[] => [
  // Node has node:sqlite from version 22.13 on.
  ...(process.getBuiltinModule('node:sqlite') === undefined ? ['ours-node-sqlite'] : []),
  ...(isPrismaInstalled() ? [] : ['ours-prisma']),
]

const toGoals = (timeRatio: ComparedOperations['timeRatio']) => {
  const goalOf = (title: string, contender: string) => ({
    what: `throughput, relative to pg alone, ${title}`,
    sign: '≥' as const,
    limit: 0.75,
    measured: timeRatio('raw-driver', contender),
  })
  return [
    goalOf('through knex', 'ours'),
    goalOf('through knex with `preparedStatements`', 'ours-prepared'),
    goalOf('through pg', 'ours-pg'),
    goalOf('through pg with `preparedStatements`', 'ours-pg-prepared'),
  ]
}
