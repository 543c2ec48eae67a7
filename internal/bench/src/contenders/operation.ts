import type { World } from '../world.js'

/** An operation to measure in its own process, without HTTP. */
export interface OperationContender {
  /** Its name in tables. */
  readonly title: string
  readonly open: (world: World) => Promise<OpenedOperation>
}

/** An operation that is ready to run. */
export interface OpenedOperation {
  /** Checks that the operation does what it should. Rejects when it does not. */
  readonly check: () => Promise<void>
  /** Runs once. `turn` increases with each run of a client, and no two clients share a turn. */
  readonly run: (turn: number) => Promise<unknown>
}
