import type { SessionStorage } from '@jwt-auth/core'

/** A value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** The capabilities, in the order in which their cases run and are reported. */
export const capabilities = [
  'creation',
  'lookup',
  'rotation',
  'ending',
  'listing',
  'clean-up',
  'copies',
  'precision',
  'text',
  'users',
  'deadlines',
  'status',
  'concurrency',
  'failures',
  'interruptions',
  'waiting',
  'sharing',
  'processes',
  'damage',
] as const

/** The part of the storage port that a case belongs to. `formatReport` prints one line for each. */
export type Capability = (typeof capabilities)[number]

/**
 * When the backend fails a write: before the commit, or after the commit. A failure after the
 * commit loses the response; the write has taken place.
 */
export type Moment = 'before-commit' | 'after-commit'

/**
 * Keeps the backend from responding, and resolves to a function that releases the backend. No call
 * may succeed while the backend is held, except a lookup that settles within one turn of the event
 * loop, such as a lookup of a file that is mapped into memory.
 *
 * If the signal aborts in the same turn of the event loop in which the call was made, the call must
 * have no effect, even after the release. Some clients send each call on one connection
 * immediately. With such a client, release the backend by breaking that connection.
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
 * How to hold the backend: a function, or `'nothing-to-hold'` for a storage that settles each call
 * within one turn of the event loop, such as a storage in memory. The cases check this claim.
 */
export type Hold = HoldBackend | 'nothing-to-hold'

/**
 * Makes a stored session unreadable, and resolves to a function that repairs it. Overwrites one
 * value that only a parser of the whole record reads, such as the list of recent verifiers, with
 * text that the adapter never writes, and writes the former value back.
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

/**
 * How to damage a session: a function, or `'nothing-to-damage'` for a storage whose records nobody
 * else can write.
 */
export type Damage = DamageSession | 'nothing-to-damage'

/** Two storages on one backend. */
export type StoragePair = readonly [SessionStorage, SessionStorage]

/**
 * The functions that create the storages of the cases. Each is called once for each of its cases,
 * and every storage that it creates is empty. An adapter is conformant only with all of them. The
 * cases of a missing function do not run, and a report lists them as not checked.
 */
export interface AdapterUnderTest {
  /** Creates an empty storage. */
  readonly createStorage: () => Awaitable<SessionStorage>
  /** Creates a storage whose backend fails every call, for example on a closed port or pool. */
  readonly createFailingStorage?: (() => Awaitable<SessionStorage>) | undefined
  /**
   * Creates two storages that share one empty backend. The backend fails the first write of the
   * first storage at the `moment`, and then works.
   */
  readonly createInterruptedStorages?: ((moment: Moment) => Awaitable<StoragePair>) | undefined
  /** Creates an empty storage, and the function that keeps its backend from responding. */
  readonly createHeldStorage?: (() => Awaitable<readonly [storage: SessionStorage, hold: Hold]>) | undefined
  /** Creates two storages that share one empty backend, as in two processes. */
  readonly createSharedStorages?: (() => Awaitable<StoragePair>) | undefined
  /** Creates the same in two processes of `startStorageProcesses`. */
  readonly createProcessStorages?: (() => Awaitable<StoragePair>) | undefined
  /** Creates an empty storage, and the function that makes its sessions unreadable. */
  readonly createDamageableStorage?: (() => Awaitable<readonly [storage: SessionStorage, damage: Damage]>) | undefined
  /** Called with each storage after its case, for example to close connections. */
  readonly close?: ((storage: SessionStorage) => unknown) | undefined
}

/** One requirement of the storage port, and the code that checks whether the adapter meets it. */
export interface ConformanceCase {
  /** The part of the port that the requirement belongs to. */
  readonly capability: Capability
  /** The requirement as a sentence. No other case has the same title. */
  readonly title: string
  /**
   * Creates the storages of the case, and checks the requirement on them.
   *
   * @throws `AssertionError` of `node:assert` if the storage violates the requirement, or the error
   * of the storage
   */
  readonly run: () => Promise<void>
}

/** A requirement for a storage, and for what a function of the adapter creates together with it. */
export interface Requirement<Args extends readonly unknown[] = [SessionStorage]> extends Omit<ConformanceCase, 'run'> {
  readonly run: (...args: Args) => Promise<void>
}

/** Checks of requirements, by the titles of the cases. */
export type Checks<Args extends readonly unknown[] = [SessionStorage]> = Readonly<
  Record<string, (...args: Args) => Promise<void>>
>

/** Creates one check of each entry of a table, by its name. */
export const checksOf = <Name extends string, Entry, Args extends readonly unknown[] = [SessionStorage]>(
  table: Readonly<Record<Name, Entry>>,
  toCheck: (entry: Entry, name: Name) => Checks<Args>[string],
  toTitle: (name: Name) => string = (name) => name,
): Checks<Args> => {
  const checks: Record<string, Checks<Args>[string]> = {}
  for (const name in table) checks[toTitle(name)] = toCheck(table[name], name)
  return checks
}

/** Creates the requirements of a capability. */
export const requirementsOf = <Args extends readonly unknown[] = [SessionStorage]>(
  capability: Capability,
  checks: Checks<Args>,
): readonly Requirement<Args>[] => Object.entries(checks).map(([title, run]) => ({ capability, title, run }))
