import type { OperationOrders } from '../processes/operations.js'
import type { ContenderFile, Programs } from '../processes/programs.js'
import { startProgram } from '../processes/start-program.js'
import type { World } from '../world/world.js'

/** Measures the memory that an operation keeps after it has run for every token of a world. */
export const measureHeap = async (
  { operations }: Programs,
  contender: ContenderFile,
  world: World,
): Promise<{ readonly title: string; readonly bytes: number }> => {
  const program = startProgram<OperationOrders>(operations, ['--expose-gc'])
  try {
    return await program.call('heap', { path: contender.path, world })
  } finally {
    await program.kill()
  }
}
