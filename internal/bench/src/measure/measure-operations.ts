import type { OperationGroup } from '../contenders/contenders.js'
import type { OperationFigures, OperationLoad } from '../processes/operations.js'
import type { Programs } from '../processes/programs.js'
import type { World } from '../world/world.js'

/** The figures of a contender, with its title. */
export interface TitledFigures extends OperationFigures {
  readonly title: string
}

/** How to measure an operation. */
export interface MeasuredLoad extends Omit<OperationLoad, 'minRuns'> {
  /** The number of runs before the measurement. */
  readonly warmUpRuns: number
}

/** What to measure. */
export interface MeasuredOperation {
  readonly group: OperationGroup
  readonly name: string
  readonly world: World
}

/** Checks an operation in its own process, warms it up and measures it. */
export const measureOperation = async (
  { startOperations }: Programs,
  { group, name, world }: MeasuredOperation,
  { warmUpRuns, ...load }: MeasuredLoad,
): Promise<TitledFigures> => {
  const { call, end } = startOperations()
  try {
    const title = await call.open(group, name, world)
    // A number of runs rather than a time: on a busy machine, a second may pass before the code is
    // compiled.
    await call.measure({ ...load, seconds: 0, minRuns: warmUpRuns })
    return { title, ...(await call.measure({ ...load, minRuns: 1 })) }
  } finally {
    await end('SIGKILL')
  }
}
