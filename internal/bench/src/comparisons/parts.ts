import type { Comparison } from '../comparison.js'
import type { Goal } from '../report/goal.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

/** How the time of the guard is divided among its parts. */
export const parts: Comparison = {
  name: 'parts',
  summary: 'the guard on memory storage, and its parts',
  method:
    'One client calls the guard without HTTP, with 10,000 tokens in turn unless a row says otherwise. All tokens are in the cache.',
  run: async (setting) => {
    const { isSmoke } = setting.effort
    const { world } = await makeWorld({ tokens: isSmoke ? 10 : 10_000 })
    const { table, cpuAbove } = await compareOperations(setting, {
      group: 'guard-parts',
      limit: 'guard',
      limitTitle: 'the guard',
      caption: 'The guard, the call that the guard makes into core, and parts of that call:',
      load: { clients: 1, runsBetweenLooks: isSmoke ? 10 : 500, warmUpRuns: isSmoke ? 10 : 20_000 },
      world,
    })
    const toGoal = (name: string, tokens: string): Goal => ({
      what: `CPU µs above an empty middleware: the guard, ${tokens}`,
      sign: '≤',
      limit: 6,
      measured: cpuAbove(name, 'empty-middleware'),
    })
    return { tables: [table], goals: [toGoal('guard-one-token', 'one token'), toGoal('guard', '10,000 tokens')] }
  },
}
