import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

const tokenCount = 12_000

/** Verification of tokens, without HTTP: one client, with tokens in turn. */
export const verify: Comparison = {
  name: 'verify',
  summary:
    'the first verification of a token against jsonwebtoken, and repeated checks against an LRU cache and a lookup',
  run: async (setting) => {
    const { isSmoke } = setting.effort
    const { world } = await makeWorld({ tokens: isSmoke ? 10 : tokenCount })
    const load = { clients: 1, runsBetweenLooks: isSmoke ? 10 : 500, warmUpRuns: isSmoke ? 10 : 2 * tokenCount }
    return [
      await compareOperations(setting, {
        group: 'first-verification',
        baseline: 'jsonwebtoken',
        caption: 'First verification:',
        load,
        world,
      }),
      await compareOperations(setting, {
        group: 'check',
        baseline: 'lru-lookup',
        caption: 'Repeated verification, and a lookup of the session in memory:',
        load,
        world,
      }),
    ]
  },
}
