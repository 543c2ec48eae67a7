import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

const clients = 32

/** Refreshes on PostgreSQL, without HTTP. */
export const refresh: Comparison = {
  name: 'refresh',
  summary: 'a refresh on PostgreSQL against its two statements through pg alone',
  method: `${clients} clients in one process refresh repeatedly, each with its own session, through ten connections. Users are in memory, and there is no HTTP.`,
  run: async (setting) => {
    const { world, drop } = await makeWorld({ tokens: 1_000, stores: ['PostgreSQL'] })
    try {
      if (world.databaseUrls.PostgreSQL === undefined) return { tables: [], goals: [] }
      const { table, timeRatio } = await compareOperations(setting, {
        group: 'refresh',
        limit: 'raw-driver',
        caption: 'On PostgreSQL:',
        load: { clients, runsBetweenLooks: 1, warmUpRuns: setting.effort.isSmoke ? clients : 3_000 },
        world,
      })
      const what = 'throughput, relative to pg alone'
      const goalOf = (title: string, contender: string) => ({
        what: `${what}${title}`,
        sign: '≥' as const,
        limit: 0.75,
        measured: timeRatio('raw-driver', contender),
      })
      return { tables: [table], goals: [goalOf('', 'ours'), goalOf(', with `preparedStatements`', 'ours-prepared')] }
    } finally {
      await drop()
    }
  },
}
