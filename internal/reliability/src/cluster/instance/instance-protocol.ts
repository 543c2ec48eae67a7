/**
 * What the parent and an instance say to each other over Node's IPC channel.
 *
 * The instance says `{ listening: url }` once, and then answers every order `{ number, order }` with one
 * `{ number, answer }`. The orders:
 *
 * | Order | What the instance does | Answers |
 * |---|---|---|
 * | `set-gate` | puts the named storage methods into a {@link GateMode}; what was held there goes on | at once |
 * | `await-held` | waits until so many calls of a method are held | when they are |
 * | `die-after` | kills itself (SIGKILL) when so many further calls of a method have committed, before anybody hears | at once |
 * | `occupy-pool` | as a host that uses up its own pool: opens transactions until no connection is left | when none is |
 * | `free-pool` | ends them | when they are |
 * | `report` | looks at itself, after a garbage collection | an {@link InstanceReport} |
 *
 * A channel that closes (the parent is gone) ends the instance. `SIGTERM` lets requests under way finish and exits with 0.
 */
import type { CommittingMethod, GateMode, StorageMethod } from './storage-gate.js'

/** What the parent may order. */
export type Order =
  | { readonly kind: 'set-gate'; readonly methods: readonly StorageMethod[]; readonly mode: GateMode }
  | { readonly kind: 'await-held'; readonly method: StorageMethod; readonly count: number }
  | { readonly kind: 'die-after'; readonly method: CommittingMethod; readonly count: number }
  | { readonly kind: 'occupy-pool' }
  | { readonly kind: 'free-pool' }
  | { readonly kind: 'report' }

/** An order on its way. */
export interface NumberedOrder {
  readonly number: number
  readonly order: Order
}

/** Connections of the database pool; all 0 on Redis, where one connection is shared. */
export interface PoolUse {
  readonly used: number
  readonly free: number
  /** Callers that wait for a connection, and connections that are being opened. */
  readonly pending: number
}

/** How an instance fares. */
export interface InstanceReport {
  readonly pool: PoolUse
  readonly heapUsedBytes: number
  readonly residentBytes: number
  /** The messages of rejections that nobody handled. */
  readonly unhandledRejections: readonly string[]
  /** How often `onError` heard each code. */
  readonly errorCounts: Readonly<Record<string, number>>
  /** The newest of what `onError` heard, as an operator would log it: the code and the cause. At most 20. */
  readonly lastErrors: readonly string[]
}

/** What an instance says. */
export type InstanceMessage =
  | { readonly listening: string }
  | { readonly number: number; readonly answer: InstanceReport | null }
