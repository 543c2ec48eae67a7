import { defaultConcurrency } from '@jwt-auth/core/internal/passwords/hashing-queue'
import type { Comparison } from '../comparison.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

// The queue runs as many hashes concurrently as there are clients, so that both contenders keep the same number of threads busy.
const clients = defaultConcurrency()

/** Logins, without HTTP. */
export const login: Comparison = {
  name: 'login',
  summary: 'a login against bcrypt alone, on the same number of threads',
  method: `Clients in one process log in repeatedly. The number of clients is the number of hashes that may run concurrently (here ${clients}). Users and sessions are in memory.`,
  run: async (setting) => {
    const tables: Table[] = []
    const goals: Goal[] = []
    for (const bcryptCost of setting.effort.isSmoke ? [4] : [10, 12]) {
      const { world } = await makeWorld({ tokens: 1, bcryptCost })
      const { table, timeRatio } = await compareOperations(setting, {
        group: 'login',
        limit: 'raw-bcrypt',
        caption: `bcrypt cost ${bcryptCost}:`,
        load: { clients, runsBetweenLooks: 1, warmUpRuns: 2 },
        world,
      })
      tables.push(table)
      goals.push({
        what: `throughput at cost ${bcryptCost}, relative to bcrypt alone`,
        sign: '≥',
        limit: 0.95,
        measured: timeRatio('raw-bcrypt', 'ours'),
      })
    }
    return { tables, goals }
  },
}
