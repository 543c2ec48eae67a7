import type { OperationFigures, OperationLoad, OperationOrders } from '../processes/operations.js'
import type { ContenderFile, Programs } from '../processes/programs.js'
import { startProgram } from '../processes/start-program.js'
import type { World } from '../world/world.js'

/** A contender's figures with its title. */
export interface TitledFigures extends OperationFigures {
  readonly title: string
}

/** How an operation is measured. */
export interface MeasuredLoad extends Omit<OperationLoad, 'leastRuns'> {
  /** How often it runs before that. */
  readonly warmUpRuns: number
}

/** Measures one operation in a process of its own, once it is checked and warm. */
export const measureOperation = async (
  programs: Programs,
  { contender, world }: { readonly contender: ContenderFile; readonly world: World },
  { warmUpRuns, ...load }: MeasuredLoad,
): Promise<TitledFigures> => {
  const program = startProgram<OperationOrders>(programs.operations)
  try {
    const title = await program.call('open', { path: contender.path, world })
    // Counted, not timed: on a busy machine a second may pass before anything is compiled.
    await program.call('measure', { ...load, seconds: 0, leastRuns: warmUpRuns })
    return { title, ...(await program.call('measure', { ...load, leastRuns: 1 })) }
  } finally {
    await program.kill()
  }
}
