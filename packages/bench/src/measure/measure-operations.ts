import type { OperationFigures, OperationLoad, OperationOrders } from '../processes/operations.js'
import type { ContenderFile, Programs } from '../processes/programs.js'
import { startProgram } from '../processes/start-program.js'
import type { World } from '../world/world.js'

/** A contender's figures with its title. */
export interface TitledFigures extends OperationFigures {
  readonly title: string
}

/** Measures one operation in a process of its own, once it is checked and warm. */
export const measureOperation = async (
  programs: Programs,
  { contender, world }: { readonly contender: ContenderFile; readonly world: World },
  load: OperationLoad,
): Promise<TitledFigures> => {
  const program = startProgram<OperationOrders>(programs.operations)
  try {
    const title = await program.call('open', { path: contender.path, world })
    await program.call('measure', { ...load, seconds: load.seconds / 2 })
    return { title, ...(await program.call('measure', load)) }
  } finally {
    await program.kill()
  }
}
