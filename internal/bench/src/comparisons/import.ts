import type { Comparison } from '../comparison.js'
import { buildPackages, type ImportCost, measureImport } from '../measure/import-cost.js'
import { measureInstalledSize } from '../measure/installed-size.js'
import { median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { type Table, toText, withSpread } from '../table.js'

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

/** Imports of built packages in new processes of plain Node, and sizes with all dependencies. */
export const importCost: Comparison = {
  name: 'import',
  summary: 'cold import and installed size',
  run: async (setting) => {
    await buildPackages(setting.effort.isSmoke)
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
    return [toTable(costs)]
  },
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
