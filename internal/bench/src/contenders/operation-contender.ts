import type { World } from '../world/world.js'

/** An operation to be measured in a process of its own, without HTTP. */
export interface OperationContender {
  /** As tables call it. */
  readonly title: string
  readonly open: (world: World) => Promise<OpenedOperation>
}

/** An operation that is ready to run. */
export interface OpenedOperation {
  /** Tries whether it does what it should. Throws when it does something else. */
  readonly check: () => Promise<void>
  /**
   * Runs once. `client` counts from 0; a client runs again when its promise, if any, is settled. `turn` grows with each run
   * of a client, and no two clients have one in common.
   */
  readonly run: (client: number, turn: number) => unknown
}
