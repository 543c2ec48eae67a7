import type { SessionStorage } from '@jwt-auth/core'

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** The capabilities, in the order in which their cases run and are reported. */
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
  'processes',
  'damage',
] as const

/** The part of the storage port that a case belongs to. `formatReport` prints one line per capability. */
export type Capability = (typeof capabilities)[number]

/** One requirement of the storage port, and the code that checks whether an adapter meets the requirement. */
export interface ConformanceCase {
  /** The part of the port that the requirement belongs to. */
  readonly capability: Capability
  /** The requirement as a sentence. No other case has the same title. */
  readonly title: string
  /**
   * Checks the requirement on an empty storage.
   *
   * @throws `AssertionError` of `node:assert` if the storage violates the requirement, or the error of the storage
   */
  readonly run: (storage: SessionStorage) => Promise<void>
}

/** A requirement that needs two storages on one backend, as in two processes. */
export interface SharingCase extends Omit<ConformanceCase, 'run'> {
  /**
   * Checks the requirement on two storages that share one empty backend.
   *
   * @throws `AssertionError` of `node:assert` if a storage violates the requirement, or the error of a storage
   */
  readonly run: (one: SessionStorage, other: SessionStorage) => Promise<void>
}

/**
 * When the backend fails a write: before the commit, or after the commit. A failure after the commit loses the response; the
 * write has taken place.
 */
export type Moment = 'before-commit' | 'after-commit'

/** A requirement for writes that the backend fails midway. */
export interface InterruptionCase extends Omit<ConformanceCase, 'run'> {
  /** When the backend must fail each write of the first storage. */
  readonly moment: Moment
  /**
   * Checks the requirement on two storages that share one empty backend. Every write of `interrupted` must fail at the `moment`
   * of this case.
   *
   * @throws `AssertionError` of `node:assert` if the storage violates the requirement, or the error of a storage
   */
  readonly run: (interrupted: SessionStorage, healthy: SessionStorage) => Promise<void>
}

/**
 * Keeps the backend from responding, and resolves to a function that releases the backend. No call may succeed while the backend is
 * held, except a lookup that settles within one turn of the event loop, such as a lookup of a file that is mapped into memory.
 *
 * If the signal aborts in the same turn of the event loop in which the call was made, the call must have no effect, even after
 * the release. Some clients send each call on one connection immediately. With such a client, release the backend by breaking
 * that connection.
 *
 * @example
 * ```ts
 * const holdBackend = async () => {
 *   const transaction = await knex.transaction()
 *   await transaction.raw('lock table sessions in access exclusive mode')
 *   return () => transaction.rollback()
 * }
 * ```
 */
export type HoldBackend = () => Awaitable<() => Awaitable<unknown>>

/**
 * How to hold the backend: a function, or `'nothing-to-hold'` for a storage that settles each call within one turn of the event
 * loop, such as a storage in memory. The cases check this claim.
 */
export type Hold = HoldBackend | 'nothing-to-hold'

/** A requirement for calls that wait for the backend. */
export interface WaitingCase extends Omit<ConformanceCase, 'run'> {
  /**
   * Checks the requirement on an empty storage, whose backend `hold` keeps from responding.
   *
   * @throws `AssertionError` of `node:assert` if the storage violates the requirement, or the error of the storage
   */
  readonly run: (storage: SessionStorage, hold: Hold) => Promise<void>
}

/**
 * Makes a stored session unreadable, and resolves to a function that repairs it. Overwrites one value that only a parser of the whole
 * record reads, such as the list of recent verifiers, with text that the adapter never writes, and writes the former value back.
 *
 * @example
 * ```ts
 * const damageSession = async (id) => {
 *   const session = () => knex('sessions').where({ id })
 *   const { recent_verifiers } = await session().first()
 *   await session().update({ recent_verifiers: 'damaged' })
 *   return () => session().update({ recent_verifiers })
 * }
 * ```
 */
export type DamageSession = (sessionId: string) => Awaitable<() => Awaitable<unknown>>

/** How to damage a session: a function, or `'nothing-to-damage'` for a storage whose records nobody else can write. */
export type Damage = DamageSession | 'nothing-to-damage'

/** A requirement for sessions that cannot be read. */
export interface DamageCase extends Omit<ConformanceCase, 'run'> {
  /**
   * Checks the requirement on an empty storage, whose sessions `damage` makes unreadable. Resolves without a check for
   * `'nothing-to-damage'`.
   *
   * @throws `AssertionError` of `node:assert` if the storage violates the requirement, or the error of the storage
   */
  readonly run: (storage: SessionStorage, damage: Damage) => Promise<void>
}

/** Adds a capability to cases. */
export const casesOf = (
  capability: Capability,
  cases: readonly Omit<ConformanceCase, 'capability'>[],
): readonly ConformanceCase[] => cases.map((each) => ({ capability, ...each }))
