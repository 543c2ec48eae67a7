import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

const clients = 200

/** Lookups of sessions, as the guard makes them. */
export const lookup: Comparison = {
  name: 'lookup',
  summary: 'finding sessions on PostgreSQL for many concurrent requests, against pg alone',
  method: `${clients} clients in one process look up 10,000 sessions in turn, through ten connections. There are no tokens and no HTTP.`,
  run: async (setting) => {
    const { world, drop } = await makeWorld({
      tokens: setting.effort.isSmoke ? 100 : 10_000,
      stores: ['PostgreSQL'],
    })
    try {
      if (world.databaseUrls.PostgreSQL === undefined) return { tables: [], goals: [] }
      const { table } = await compareOperations(setting, {
        group: 'lookup',
        limit: 'raw-batched',
        caption: 'On PostgreSQL:',
        load: { clients, runsBetweenLooks: 1, warmUpRuns: setting.effort.isSmoke ? clients : 20_000 },
        world,
      })
      return { tables: [table], goals: [] }
    } finally {
      await drop()
    }
  },
}
