import { openVerifier } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: 'verifying a cached token',
  open: async (world) => openVerifier(world),
}
