import { defaultConcurrency } from '@jwt-auth/passwords/internal/hashing-queue'
import type { Comparison } from '../comparison.js'
import type { Table } from '../table.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

// The queue runs as many hashes concurrently as there are clients, so that both contenders keep the
// same number of threads busy.
const clients = defaultConcurrency()

/** Logins, without HTTP. Users and sessions are in memory. */
export const login: Comparison = {
  name: 'login',
  summary: 'a login against bcrypt alone, on the same number of threads',
  run: async (setting) => {
    const tables: Table[] = []
    for (const bcryptCost of setting.effort.isSmoke ? [4] : [10, 12]) {
      const { world } = await makeWorld({ tokens: 1, bcryptCost })
      const table = await compareOperations(setting, {
        group: 'login',
        baseline: 'raw-bcrypt',
        caption: `bcrypt cost ${bcryptCost}:`,
        load: { clients, runsBetweenLooks: 1, warmUpRuns: 2 },
        world,
      })
      tables.push(table)
    }
    return tables
  },
}
