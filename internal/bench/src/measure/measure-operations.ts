import type { OperationFigures, OperationLoad, OperationOrders } from '../processes/operations.js'
import type { ContenderFile, Programs } from '../processes/programs.js'
import { startProgram } from '../processes/start-program.js'
import type { World } from '../world/world.js'

/** The figures of a contender, with its title. */
export interface TitledFigures extends OperationFigures {
  readonly title: string
}

/** How to measure an operation. */
export interface MeasuredLoad extends Omit<OperationLoad, 'leastRuns'> {
  /** The number of runs before the measurement. */
  readonly warmUpRuns: number
}

/** Checks an operation in its own process, warms it up and measures it. */
export const measureOperation = async (
  programs: Programs,
  { contender, world }: { readonly contender: ContenderFile; readonly world: World },
  { warmUpRuns, ...load }: MeasuredLoad,
): Promise<TitledFigures> => {
  const program = startProgram<OperationOrders>(programs.operations)
  try {
    const title = await program.call('open', { path: contender.path, world })
    // A number of runs rather than a time: on a busy machine, a second may pass before the code is compiled.
    await program.call('measure', { ...load, seconds: 0, leastRuns: warmUpRuns })
    return { title, ...(await program.call('measure', { ...load, leastRuns: 1 })) }
  } finally {
    await program.kill()
  }
}
