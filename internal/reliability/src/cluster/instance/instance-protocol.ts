/**
 * The messages between a test and an instance over Node's IPC channel.
 *
 * The instance sends `{ listening: url }` once. Then it responds to every order `{ number, order }` with one
 * `{ number, response }`. The orders:
 *
 * | Order | What the instance does | Responds | |---|---|---| | `set-gate` | puts storage methods into a {@link GateMode}, and
 * releases the calls that were held there | immediately | | `await-held` | waits until so many calls of a method are held | then |
 * | `die-after` | kills itself (SIGKILL) after so many further commits of a method, before the call returns | immediately | |
 * `occupy-pool` | opens transactions until no connection is left, as an application that uses up its pool does | then | |
 * `free-pool` | ends these transactions | then | | `report` | collects garbage and measures itself | with an {@link InstanceReport}
 * |
 *
 * The instance ends when the channel closes, because the test has ended. `SIGTERM` lets the requests in progress finish, and
 * exits with 0.
 */
import type { CommittingMethod, GateMode, StorageMethod } from './storage-gate.js'

/** An order of the test. */
export type Order =
  | { readonly kind: 'set-gate'; readonly methods: readonly StorageMethod[]; readonly mode: GateMode }
  | { readonly kind: 'await-held'; readonly method: StorageMethod; readonly count: number }
  | { readonly kind: 'die-after'; readonly method: CommittingMethod; readonly count: number }
  | { readonly kind: 'occupy-pool' }
  | { readonly kind: 'free-pool' }
  | { readonly kind: 'report' }

/** An order as it is sent. */
export interface NumberedOrder {
  readonly number: number
  readonly order: Order
}

/** The connections of the database pool. All numbers are 0 on Redis, where one connection is shared. */
export interface PoolUse {
  readonly used: number
  readonly free: number
  /** The number of callers that wait for a connection and of connections that are being opened. */
  readonly pending: number
}

/** The measurements of an instance. */
export interface InstanceReport {
  readonly pool: PoolUse
  readonly heapUsedBytes: number
  readonly residentBytes: number
  /** The messages of unhandled rejections. */
  readonly unhandledRejections: readonly string[]
  /** How often `onError` was called with each code. */
  readonly errorCounts: Readonly<Record<string, number>>
  /** The code and the cause of the last errors that `onError` received. At most 20. */
  readonly lastErrors: readonly string[]
}

/** A message of an instance. */
export type InstanceMessage =
  | { readonly listening: string }
  | { readonly number: number; readonly response: InstanceReport | null }
