import { openVerifier } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, the verifier',
  open: async (world) => {
    let { check, run } = openVerifier(world)
    return {
      check,
      run: (client, turn) => {
        // A new verifier has an empty cache.
        if (turn % world.tokens.length === 0) run = openVerifier(world).run
        return run(client, turn)
      },
    }
  },
}
