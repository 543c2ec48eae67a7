import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

const tokensForFirst = 12_000
const tokensAgain = 1_000

/** Verification of tokens, without HTTP. */
export const verify: Comparison = {
  name: 'verify',
  summary: 'the first verification of a token against jsonwebtoken, and repeated verification against an LRU cache hit',
  method: `One client verifies tokens without HTTP. For the first table, it verifies ${tokensForFirst.toLocaleString('en')} tokens in turn, and empties the cache before it starts again with the first token. For the second table, it verifies ${tokensAgain.toLocaleString('en')} tokens in turn.`,
  run: async (setting) => {
    const { isSmoke } = setting.effort
    const { world } = await makeWorld({ tokens: isSmoke ? 10 : tokensForFirst })
    const load = { clients: 1, runsBetweenLooks: isSmoke ? 10 : 500, warmUpRuns: isSmoke ? 10 : 2 * tokensForFirst }
    const first = await compareOperations(setting, {
      group: 'first-verification',
      limit: 'jsonwebtoken',
      caption: 'First verification:',
      load,
      world,
    })
    const again = await compareOperations(setting, {
      group: 'cached-verification',
      limit: 'lru-sha256',
      caption: 'Repeated verification:',
      load,
      world: { ...world, tokens: world.tokens.slice(0, tokensAgain) },
    })
    return {
      tables: [first.table, again.table],
      goals: [
        {
          what: 'first verification, CPU relative to jsonwebtoken with a KeyObject',
          sign: '≤',
          limit: 1.2,
          measured: first.cpuRatio('ours', 'jsonwebtoken'),
        },
        {
          what: 'repeated verification, CPU relative to an LRU cache hit',
          sign: '≤',
          limit: 1.5,
          measured: again.cpuRatio('ours', 'lru-sha256'),
        },
      ],
    }
  },
}
