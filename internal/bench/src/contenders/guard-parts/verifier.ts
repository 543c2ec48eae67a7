import { openVerifier } from '../open-verifier.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: 'the verifier, from its cache',
  open: async (world) => openVerifier(world),
}
