import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

/** Where the guard's time goes. */
export const parts: Comparison = {
  name: 'parts',
  summary: 'the guard on memory storage, and its parts',
  method: 'One client calls the guard without HTTP, with 1,000 tokens in turn. All tokens are in the cache.',
  run: async (setting) => {
    const { isSmoke } = setting.effort
    const { world } = await makeWorld({ tokens: isSmoke ? 10 : 1_000 })
    const { table } = await compareOperations(setting, {
      group: 'guard-parts',
      limit: 'guard',
      limitTitle: 'the guard',
      caption: 'The guard, the call of core that it makes, and parts of that call:',
      load: { clients: 1, runsBetweenLooks: isSmoke ? 10 : 500, warmUpRuns: isSmoke ? 10 : 20_000 },
      world,
    })
    return { tables: [table], goals: [] }
  },
}
