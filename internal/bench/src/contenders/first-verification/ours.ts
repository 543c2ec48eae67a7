import { openVerifier } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, the verifier',
  open: async (world) => openVerifier(world),
}
