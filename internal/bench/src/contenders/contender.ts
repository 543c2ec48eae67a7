import type { RequestListener } from 'node:http'
import type { StoreName, World } from '../world/world.js'

/** A server to measure over HTTP. */
export interface ServerContender {
  /** Its name in tables. */
  readonly title: string
  /** What it checks before it responds. The bench tests this before it measures. */
  readonly checks: 'nothing' | 'token' | 'token and session'
  /** The store that it needs. */
  readonly store?: StoreName
  readonly open: (world: World) => Promise<OpenedServer>
}

/** A contender that is ready to respond. */
interface OpenedServer {
  readonly listener: RequestListener
  /** The contender's own tokens, if it cannot read those of the {@link World}. */
  readonly own?: { readonly tokens: readonly string[]; readonly revokedToken: string }
}

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
  /**
   * Runs once. `client` counts from 0. If a run returns a promise, its client runs again only after
   * the promise has settled. `turn` increases with each run of a client, and no two clients share a
   * turn.
   */
  readonly run: (client: number, turn: number) => unknown
}
