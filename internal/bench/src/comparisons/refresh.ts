import type { Comparison } from '../comparison.js'
import type { Table } from '../table.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

const clients = 32
const groups = [
  { store: 'PostgreSQL', group: 'refresh', baseline: 'raw-driver' },
  { store: 'MariaDB', group: 'refresh-mariadb', baseline: 'ours' },
  { store: 'SQLite', group: 'refresh-sqlite', baseline: 'ours' },
] as const

/**
 * Refreshes in a SQL database, without HTTP. Each client has its own session, and all share ten
 * connections.
 */
export const refresh: Comparison = {
  name: 'refresh',
  summary:
    'a refresh through knex and through drivers, and on PostgreSQL the two statements of a refresh through pg alone',
  run: async (setting) => {
    const { world, drop } = await makeWorld({ tokens: 1_000, stores: groups.map(({ store }) => store) })
    try {
      const tables: Table[] = []
      for (const { store, group, baseline } of groups) {
        if (world.databaseUrls[store] === undefined) continue
        const load = { clients, runsBetweenLooks: 1, warmUpRuns: setting.effort.isSmoke ? clients : 3_000 }
        // Processes that write to one SQLite file would wait for each other.
        const effort = store === 'SQLite' ? { ...setting.effort, concurrency: 1 } : setting.effort
        tables.push(
          await compareOperations({ ...setting, effort }, { group, baseline, caption: `On ${store}:`, load, world }),
        )
      }
      return tables
    } finally {
      await drop()
    }
  },
}
