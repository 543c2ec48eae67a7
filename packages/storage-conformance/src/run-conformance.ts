import type { SessionStorage } from '@jwt-auth/core'
import { damageCases } from './cases/damage.js'
import { failureCases } from './cases/failures.js'
import { interruptionCases } from './cases/interruptions.js'
import { processCases } from './cases/processes.js'
import { sharingCases } from './cases/sharing.js'
import { waitingCases } from './cases/waiting.js'
import type { Awaitable, Capability, ConformanceCase, Damage, Hold, Moment, SharingCase } from './conformance-case.js'
import { conformanceCases } from './conformance-cases.js'
import { withTimeLimit } from './time-limit.js'

/** Creates an empty storage. `runConformance` calls it once for each case. */
export type CreateStorage = () => Awaitable<SessionStorage>

/**
 * Options of {@link runConformance}. If one of the six optional `create` functions is missing, the report lists its cases as not
 * checked, and `isConformant` is `false`.
 */
export interface ConformanceOptions {
  /**
   * The time limit of a case in milliseconds. Creating the storages of a case and closing each of them have the same limit.
   *
   * @default 10000
   */
  readonly caseLimitMs?: number | undefined
  /** Selects the cases to run, for work on one method. A run that omits a case is not conformant. @default every case */
  readonly only?: ((each: SelectableCase) => boolean) | undefined
  /** Called with the result of each case as soon as the case ends. An error that it throws ends the run. */
  readonly onCase?: ((result: CaseResult) => void) | undefined
  /** Called with each storage after its case, for example to close connections. */
  readonly closeStorage?: ((storage: SessionStorage) => Awaitable<void>) | undefined
  /** Creates a storage whose backend fails every call, for example on a closed port or a closed pool. */
  readonly createFailingStorage?: CreateStorage | undefined
  /** Creates two storages that share one empty backend, as in two processes. */
  readonly createSharedStorages?: (() => Awaitable<readonly [SessionStorage, SessionStorage]>) | undefined
  /** Creates two storages that share one empty backend, in two processes of `startStorageProcesses`. */
  readonly createProcessStorages?: (() => Awaitable<readonly [SessionStorage, SessionStorage]>) | undefined
  /** Creates two storages that share one empty backend. The backend fails each write of the first storage at the `moment`. */
  readonly createInterruptedStorages?:
    | ((moment: Moment) => Awaitable<readonly [interrupted: SessionStorage, healthy: SessionStorage]>)
    | undefined
  /** Creates an empty storage, and the function that keeps its backend from responding. */
  readonly createHeldStorage?: (() => Awaitable<readonly [storage: SessionStorage, hold: Hold]>) | undefined
  /** Creates an empty storage, and the function that makes its sessions unreadable. */
  readonly createDamageableStorage?: (() => Awaitable<readonly [storage: SessionStorage, damage: Damage]>) | undefined
}

/** What {@link ConformanceOptions.only} selects a case by. */
export interface SelectableCase {
  /** The capability of the case. */
  readonly capability: Capability
  /** The title of the case. */
  readonly title: string
}

/** The result of one case. */
export interface CaseResult extends SelectableCase {
  /** Whether the storage meets the requirement. */
  readonly outcome: 'passed' | 'failed'
  /** The error that failed the case. Missing if the case passed. */
  readonly failure?: unknown
}

/** The result of a run. */
export interface ConformanceReport {
  /** Whether every case ran and passed. */
  readonly isConformant: boolean
  /** The result of each case, in the order in which the cases ran. */
  readonly results: readonly CaseResult[]
  /** The capabilities whose cases did not run, because their `create` function is missing from the options. */
  readonly notChecked: readonly Capability[]
}

interface ReadyCase extends SelectableCase {
  readonly prepare: () => Awaitable<PreparedCase>
}

/** A case and its storages. */
interface PreparedCase {
  readonly storages: readonly SessionStorage[]
  readonly run: () => Promise<void>
}

/**
 * Runs every case, one after another, each on its own storage. A failed case does not stop the run: if creating, using or closing
 * a storage fails, the result of the case contains the error.
 *
 * @throws only the error that `onCase` throws
 * @example
 * ```ts
 * const report = await runConformance(() => exampleStorage(emptyDatabase()))
 * console.log(formatReport(report))
 * ```
 */
export const runConformance = async (
  createStorage: CreateStorage,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> => {
  const results: CaseResult[] = []
  const notChecked = findNotChecked(options)
  const cases = readCases(createStorage, options)
  const { only = () => true } = options
  for (const readyCase of cases.filter(({ capability, title }) => only({ capability, title }))) {
    const result = await runCase(readyCase, options)
    results.push(result)
    options.onCase?.(result)
  }
  return {
    isConformant:
      notChecked.length === 0 &&
      results.length === cases.length &&
      results.every(({ outcome }) => outcome === 'passed'),
    results,
    notChecked,
  }
}

const readCases = (createStorage: CreateStorage, options: ConformanceOptions): readonly ReadyCase[] => {
  const { createFailingStorage, createInterruptedStorages, createHeldStorage } = options
  const { createSharedStorages, createProcessStorages, createDamageableStorage } = options
  return [
    ...conformanceCases.map((each) => onOne(createStorage, each)),
    ...(createFailingStorage ? failureCases.map((each) => onOne(createFailingStorage, each)) : []),
    ...(createInterruptedStorages
      ? interruptionCases.map((each) => onTwo(() => createInterruptedStorages(each.moment), each))
      : []),
    ...(createHeldStorage ? waitingCases.map((each) => onOneWith(createHeldStorage, each)) : []),
    ...(createSharedStorages ? sharingCases.map((each) => onTwo(createSharedStorages, each)) : []),
    ...(createProcessStorages ? processCases.map((each) => onTwo(createProcessStorages, each)) : []),
    ...(createDamageableStorage ? damageCases.map((each) => onOneWith(createDamageableStorage, each)) : []),
  ]
}

const onOne = (create: CreateStorage, { capability, title, run }: ConformanceCase): ReadyCase => ({
  capability,
  title,
  prepare: async () => {
    const storage = await create()
    return { storages: [storage], run: () => run(storage) }
  },
})

const onTwo = (
  create: () => Awaitable<readonly [SessionStorage, SessionStorage]>,
  { capability, title, run }: SharingCase,
): ReadyCase => ({
  capability,
  title,
  prepare: async () => {
    const [one, other] = await create()
    return { storages: [one, other], run: () => run(one, other) }
  },
})

const onOneWith = <Tool>(
  create: () => Awaitable<readonly [SessionStorage, Tool]>,
  { capability, title, run }: SelectableCase & { readonly run: (storage: SessionStorage, tool: Tool) => Promise<void> },
): ReadyCase => ({
  capability,
  title,
  prepare: async () => {
    const [storage, tool] = await create()
    return { storages: [storage], run: () => run(storage, tool) }
  },
})

const defaultLimitMs = 10_000

const runCase = async (readyCase: ReadyCase, options: ConformanceOptions): Promise<CaseResult> => {
  const { capability, title } = readyCase
  try {
    await runOnFreshStorages(readyCase, options)
    return { capability, title, outcome: 'passed' }
  } catch (failure) {
    return { capability, title, outcome: 'failed', failure }
  }
}

const runOnFreshStorages = async ({ prepare }: ReadyCase, options: ConformanceOptions): Promise<void> => {
  const { caseLimitMs = defaultLimitMs, closeStorage } = options
  const withinLimit = <T>(name: string, work: () => Awaitable<T>): Promise<T> =>
    withTimeLimit(name, Promise.resolve().then(work), caseLimitMs)

  const { storages, run } = await withinLimit('creating the storages', prepare)
  try {
    await withinLimit('the case', run)
  } finally {
    for (const storage of storages) await withinLimit('closing a storage', () => closeStorage?.(storage))
  }
}

const findNotChecked = (options: ConformanceOptions): readonly Capability[] => {
  const failures = options.createFailingStorage ? [] : (['failures'] as const)
  const interruptions = options.createInterruptedStorages ? [] : (['interruptions'] as const)
  const waiting = options.createHeldStorage ? [] : (['waiting'] as const)
  const sharing = options.createSharedStorages ? [] : (['sharing'] as const)
  const processes = options.createProcessStorages ? [] : (['processes'] as const)
  const damage = options.createDamageableStorage ? [] : (['damage'] as const)
  return [...failures, ...interruptions, ...waiting, ...sharing, ...processes, ...damage]
}
