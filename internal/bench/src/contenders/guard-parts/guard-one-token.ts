import { openGuard } from '../open-guard.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: 'the guard, on memory storage, one token',
  open: (world) => openGuard(world, world.tokens.slice(0, 1)),
}
