import type { Comparison, Findings, Setting } from '../comparison.js'
import { buildPackages } from '../measure/build-packages.js'
import { type ImportCost, measureImport } from '../measure/import-cost.js'
import { measureInstalledSize } from '../measure/installed-size.js'
import { measureHeap } from '../measure/measure-heap.js'
import { inPairs } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { toText, withSpread } from '../report/figures.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'
import { makeWorld } from '../world/make-world.js'

/** The modules that an application imports for a guard. */
const hosts: readonly (readonly string[])[] = [
  ['express-jwt'],
  ['@jwt-auth/express'],
  ['@jwt-auth/express', '@jwt-auth/storage-memory'],
  ['@jwt-auth/express', '@jwt-auth/storage-knex', 'knex'],
  ['passport', 'passport-jwt'],
  ['express-oauth2-jwt-bearer'],
  ['fastify', '@fastify/jwt'],
  ['better-auth'],
]

type Costs = ReadonlyMap<readonly string[], readonly ImportCost[]>

/** Imports, installed sizes and the heap of cached tokens. */
export const importCost: Comparison = {
  name: 'import',
  summary: 'cold import, installed size, heap of 10,000 cached tokens',
  method:
    'Each import runs in a new process of plain Node, from built packages whose files are in the page cache. Sizes include all dependencies, each counted once. The table of cached tokens shows the heap memory that 10,000 verified tokens add after garbage collection, without the tokens themselves.',
  run: async (setting) => {
    await buildPackages(['core', 'express', 'storage-memory', 'storage-sql', 'storage-knex'], setting.effort.isSmoke)
    const costs: Costs = await takeTurns(
      hosts,
      async (modules, round) => {
        const cost = await measureImport(modules)
        setting.log(`round ${round + 1}: ${modules.join(', ')} ${Math.round(cost.cpuMs)} ms`)
        return cost
      },
      // One import takes little time, and this time varies a lot.
      { ...setting.effort, rounds: setting.effort.isSmoke ? 1 : setting.effort.rounds * 4 },
    )
    return toFindings(costs, await measureHeaps(setting))
  },
}

const measureHeaps = async ({ programs, effort }: Setting): Promise<Table> => {
  const count = effort.isSmoke ? 100 : 10_000
  const { world } = await makeWorld({ tokens: count })
  const rows: (readonly string[])[] = []
  for (const contender of programs.contendersOf('cached-verification')) {
    const { title, bytes } = await measureHeap(programs, contender, world)
    rows.push([title, toText(bytes / 2 ** 20), toText(bytes / count)])
  }
  return { caption: '10,000 cached tokens:', head: ['', 'MiB', 'bytes per token'], rows }
}

const toFindings = (costs: Costs, heaps: Table): Findings => {
  const imports: Table = {
    caption: 'Importing:',
    head: ['', 'ms', 'CPU ms', 'CommonJS files', 'packages', 'installed MiB'],
    rows: [...costs].map(([modules, all]) => {
      const { packages, bytes } = measureInstalledSize(modules)
      return [
        modules.map((name) => (name.startsWith('@jwt-auth/') ? `**${name}**` : name)).join(', '),
        withSpread(all.map(({ wallMs }) => wallMs)),
        withSpread(all.map(({ cpuMs }) => cpuMs)),
        String(all[0]?.files ?? 0),
        String(packages),
        toText(bytes / 2 ** 20),
      ]
    }),
  }
  return { tables: [imports, heaps], goals: toGoals(costs) }
}

const toGoals = (costs: Costs): readonly Goal[] => {
  const [peer = [], ours = []] = ['express-jwt', '@jwt-auth/express'].map((name) =>
    [...costs].filter(([modules]) => modules.join() === name).flatMap(([, all]) => all),
  )
  const cpuOf = (all: readonly ImportCost[]): readonly number[] => all.map(({ cpuMs }) => cpuMs)
  return [
    {
      what: 'CPU of importing @jwt-auth/express, relative to express-jwt',
      sign: '≤',
      limit: 1.5,
      measured: inPairs(cpuOf(ours), cpuOf(peer), (a, b) => a / b),
    },
    {
      what: 'importing @jwt-auth/express loads bcrypt (0 = no, 1 = yes)',
      sign: '≤',
      limit: 0,
      measured: ours.slice(0, 1).map(({ loadsBcrypt }) => Number(loadsBcrypt)),
    },
  ]
}
