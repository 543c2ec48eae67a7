import type { Comparison } from '../comparison.js'
import { makeWorld } from '../world/make-world.js'
import { compareOperations } from './compare-operations.js'

/** The guard with and without telemetry, without HTTP: one client, with tokens in turn. */
export const telemetry: Comparison = {
  name: 'telemetry',
  summary: 'the guard with metrics and traces against the guard without telemetry',
  run: async (setting) => {
    const { isSmoke } = setting.effort
    const { world } = await makeWorld({ tokens: isSmoke ? 10 : 1_000 })
    const load = { clients: 1, runsBetweenLooks: isSmoke ? 10 : 500, warmUpRuns: isSmoke ? 10 : 50_000 }
    const caption = 'One guarded request:'
    return [await compareOperations(setting, { group: 'telemetry', baseline: 'telemetry-off', caption, load, world })]
  },
}
