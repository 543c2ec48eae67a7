import type { Awaitable, SessionStorage } from '@jwt-auth/core'

/** What the cases are about, in the order in which they run and are reported. */
export const capabilities = [
  'creation',
  'batch lookup',
  'selector lookup',
  'rotation',
  'ending',
  'ending all',
  'listing',
  'clearing',
  'deletion',
  'copies',
  'precision',
  'text',
  'user ids',
  'issuers',
  'concurrency',
  'deadlines',
  'status',
  'failures',
  'interruptions',
  'waiting',
  'sharing',
] as const

/** One part of the storage port. */
export type Capability = (typeof capabilities)[number]

/** One promise of the storage port, and how to see whether an adapter keeps it. */
export interface ConformanceCase {
  /** The part of the port that the promise belongs to. */
  readonly capability: Capability
  /** The promise, as a sentence; unique. */
  readonly title: string
  /** Runs on an empty storage; rejects with an `AssertionError` when the promise is broken. */
  readonly run: (storage: SessionStorage) => Promise<void>
}

/** A promise that only shows between two storages on one backend, as two processes have them. */
export interface SharingCase extends Omit<ConformanceCase, 'run'> {
  /** Runs on two storages that share one empty backend; rejects with an `AssertionError` when the promise is broken. */
  readonly run: (one: SessionStorage, other: SessionStorage) => Promise<void>
}

/** When a backend fails a write: before it takes place, or after, so that only the answer is lost. */
export type Moment = 'before-commit' | 'after-commit'

/** A promise that only shows when the backend fails in the middle of a write. */
export interface InterruptionCase extends Omit<ConformanceCase, 'run'> {
  readonly moment: Moment
  /**
   * Runs on two storages that share one empty backend; each call of the first is failed at the case's moment. Rejects with an
   * `AssertionError` when the promise is broken.
   */
  readonly run: (interrupted: SessionStorage, healthy: SessionStorage) => Promise<void>
}

/**
 * Keeps a backend busy: calls that are made from when this resolves until its function is called are not answered. Resolves to
 * the function that releases the backend.
 *
 * A call that is aborted in the turn of the event loop in which it was made must not take place after the release. Where the
 * client sends each call immediately on one connection, release the backend by breaking that connection.
 *
 * @example
 * const holdBackend = async () => {
 *   const transaction = await knex.transaction()
 *   await transaction.raw('lock table sessions in access exclusive mode')
 *   return () => transaction.rollback()
 * }
 */
export type HoldBackend = () => Awaitable<() => Awaitable<unknown>>

/** How a backend is held. `'nothing-to-hold'` says that each call is answered within a turn of the event loop, and is checked. */
export type Hold = HoldBackend | 'nothing-to-hold'

/** A promise that only shows while calls wait for the backend. */
export interface WaitingCase extends Omit<ConformanceCase, 'run'> {
  /** Runs on an empty storage and what holds its backend; rejects with an `AssertionError` when the promise is broken. */
  readonly run: (storage: SessionStorage, hold: Hold) => Promise<void>
}

/** Puts cases under their capability. */
export const casesOf = (
  capability: Capability,
  cases: readonly Omit<ConformanceCase, 'capability'>[],
): readonly ConformanceCase[] => cases.map((each) => ({ capability, ...each }))
