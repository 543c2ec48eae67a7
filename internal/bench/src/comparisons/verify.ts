import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

// More than the cache holds: asked for in turn, each token has been forgotten when its turn comes again.
const tokensBeyondCache = 12_000
const tokensInCache = 1_000

/** Checking a token, without HTTP. */
export const verify: Comparison = {
  name: 'verify',
  summary: 'checking a token: for the first time against jsonwebtoken, again against a hit in an LRU cache',
  method: `One client, no HTTP. First: ${tokensBeyondCache.toLocaleString('en')} tokens in turn, more than the cache holds. Again: ${tokensInCache.toLocaleString('en')} tokens in turn.`,
  run: async (setting) => {
    const { isSmoke } = setting.effort
    const { world } = await makeWorld({ tokens: isSmoke ? 10 : tokensBeyondCache })
    const load = { clients: 1, runsBetweenLooks: isSmoke ? 10 : 500, warmUpRuns: isSmoke ? 10 : 2 * tokensBeyondCache }
    const first = await compareOperations(setting, {
      group: 'first-verification',
      limit: 'jsonwebtoken',
      caption: 'For the first time:',
      load,
      world,
    })
    const again = await compareOperations(setting, {
      group: 'cached-verification',
      limit: 'lru-sha256',
      caption: 'Again:',
      load,
      world: { ...world, tokens: world.tokens.slice(0, tokensInCache) },
    })
    return {
      tables: [first.table, again.table],
      goals: [
        {
          what: 'first verification, CPU as a multiple of jsonwebtoken with a KeyObject',
          sign: '≤',
          limit: 1.2,
          measured: first.cpuRatio('ours', 'jsonwebtoken'),
        },
        {
          what: 'verification from the cache, CPU as a multiple of an LRU hit',
          sign: '≤',
          limit: 1.5,
          measured: again.cpuRatio('ours', 'lru-sha256'),
        },
      ],
    }
  },
}
