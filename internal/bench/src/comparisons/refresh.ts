import { withOpened } from '@jwt-auth/test-support'
import type { Comparison } from '../comparison.js'
import { sessionCount } from '../contenders/refreshes.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

const clients = 32

/** Refreshes on PostgreSQL, without HTTP. All clients share ten connections. */
export const refresh: Comparison = {
  name: 'refresh',
  summary: 'a refresh on PostgreSQL through knex and through pg, against its two statements through pg alone',
  run: (setting) => {
    const { isSmoke } = setting.effort
    const load = { clients, runsBetweenLooks: 1, warmUpRuns: isSmoke ? clients : 2 * sessionCount }
    const making = makeWorld({ tokens: isSmoke ? clients : sessionCount, stores: ['PostgreSQL'] })
    return withOpened(making, async ({ world }) => {
      if (world.databaseUrls.PostgreSQL === undefined) return []
      return [await compareOperations(setting, { group: 'refresh', baseline: 'raw-driver', caption: '', load, world })]
    })
  },
}
