import type { Comparison, Setting } from '../comparison.js'
import { buildPackages } from '../measure/build-packages.js'
import { type ImportCost, measureImport } from '../measure/import-cost.js'
import { measureInstalledSize } from '../measure/installed-size.js'
import { measureHeap } from '../measure/measure-heap.js'
import { median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { toText, withSpread } from '../report/figures.js'
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
  ['better-auth'],
]

type Costs = ReadonlyMap<readonly string[], readonly ImportCost[]>

/**
 * Imports of built packages in new processes of plain Node, installed sizes with all dependencies, and the heap that cached tokens
 * add after garbage collection, without the tokens themselves.
 */
export const importCost: Comparison = {
  name: 'import',
  summary: 'cold import, installed size, heap of 10,000 cached tokens',
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
    return [toTable(costs), await measureHeaps(setting)]
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

const toTable = (costs: Costs): Table => ({
  caption: 'Importing:',
  head: ['', 'CPU ms', 'ms', 'CommonJS files', 'packages', 'installed MiB', 'loads bcrypt'],
  rows: [...costs]
    .toSorted(([, one], [, other]) => median(one.map(readCpu)) - median(other.map(readCpu)))
    .map(([modules, all]) => {
      const { packages, bytes } = measureInstalledSize(modules)
      return [
        modules.map((name) => (name.startsWith('@jwt-auth/') ? `**${name}**` : name)).join(', '),
        withSpread(all.map(readCpu)),
        withSpread(all.map(({ wallMs }) => wallMs)),
        String(all[0]?.files ?? 0),
        String(packages),
        toText(bytes / 2 ** 20),
        all[0]?.loadsBcrypt ? 'yes' : 'no',
      ]
    }),
})

const readCpu = ({ cpuMs }: ImportCost): number => cpuMs
