import { isPresent } from '@jwt-auth/test-support'
import { isFinished, type Scenario } from '../scenario.js'
import { deploymentKinds } from './deployment-kinds.js'
import { runFailover } from './run-failover.js'

// A turn continues where the last one ended, so that a few turns visit all kinds.
let visits = 0

/** Failovers of one kind of deployment after another. */
export const failoverScenario: Scenario = {
  name: 'failovers',
  run: async (context) => {
    const kinds = deploymentKinds.filter(isPresent)
    for (; !isFinished(context); visits += 1) {
      const kind = kinds[visits % kinds.length]
      if (kind === undefined) return
      context.report({ store: kind.name, rounds: 1, faults: 1, ...(await runFailover(kind)) })
    }
  },
}
