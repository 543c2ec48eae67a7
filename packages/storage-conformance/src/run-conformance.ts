import type { Awaitable, SessionStorage } from '@jwt-auth/core'
import { failureCases } from './cases/failures.js'
import { interruptionCases } from './cases/interruptions.js'
import { sharingCases } from './cases/sharing.js'
import { waitingCases } from './cases/waiting.js'
import type { Capability, ConformanceCase, Hold, Moment, SharingCase, WaitingCase } from './conformance-case.js'
import { conformanceCases } from './conformance-cases.js'
import { withTimeLimit } from './time-limit.js'

/** Makes a storage that is empty. */
export type CreateStorage = () => Awaitable<SessionStorage>

/** How the cases are run. */
export interface ConformanceOptions {
  /** Milliseconds that a case may take, and making and closing its storage each as well. @default 10000 */
  readonly caseLimitMs?: number | undefined
  /** Hears each result as it comes. */
  readonly onCase?: ((result: CaseResult) => void) | undefined
  /** Is called with each storage once its case is over. */
  readonly closeStorage?: ((storage: SessionStorage) => Awaitable<void>) | undefined
  /**
   * Makes a storage whose backend fails every call (a closed port, a closed pool), for the promises about failures.
   * Without it they are reported as not checked, and the storage is not called conformant.
   */
  readonly createFailingStorage?: CreateStorage | undefined
  /**
   * Makes two storages on one empty backend, as two processes have them, for the promises about sharing. Without it they
   * are reported as not checked, and the storage is not called conformant.
   */
  readonly createSharedStorages?: (() => Awaitable<readonly [SessionStorage, SessionStorage]>) | undefined
  /**
   * Makes two storages on one empty backend, of which the first is failed at a moment of every write, for the promises about
   * interruptions. Without it they are reported as not checked.
   */
  readonly createInterruptedStorages?:
    | ((moment: Moment) => Awaitable<readonly [interrupted: SessionStorage, healthy: SessionStorage]>)
    | undefined
  /**
   * Makes an empty storage and the function that holds its backend, for the promises about calls that wait. Without it they are
   * reported as not checked, and the storage is not called conformant.
   */
  readonly createHeldStorage?: (() => Awaitable<readonly [storage: SessionStorage, hold: Hold]>) | undefined
}

/** What became of one case. */
export interface CaseResult {
  readonly capability: Capability
  readonly title: string
  readonly outcome: 'held' | 'broken'
  /** Why the promise counts as broken; absent when it was held. */
  readonly failure?: unknown
}

/** What became of all of them. */
export interface ConformanceReport {
  /** Whether every promise there is was checked and held. */
  readonly isConformant: boolean
  readonly results: readonly CaseResult[]
  /** The capabilities for which a function of the options was missing. */
  readonly notChecked: readonly Capability[]
}

interface ReadyCase {
  readonly capability: Capability
  readonly title: string
  readonly prepare: () => Awaitable<PreparedCase>
}

/** A case with the storages that were made for it. */
interface PreparedCase {
  readonly storages: readonly SessionStorage[]
  readonly run: () => Promise<void>
}

/**
 * Runs every case, one after another, each on a storage made for it, and stops at no failure. Rejects only when `onCase`
 * throws: whatever else fails, also while a storage is made or closed, is the result of its case.
 *
 * @example
 * const report = await runConformance(() => exampleStorage(emptyDatabase()))
 * console.log(formatReport(report))
 */
export const runConformance = async (
  createStorage: CreateStorage,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> => {
  const results: CaseResult[] = []
  const notChecked = findNotChecked(options)
  for (const readyCase of readCases(createStorage, options)) {
    const result = await runCase(readyCase, options)
    results.push(result)
    options.onCase?.(result)
  }
  return {
    isConformant: notChecked.length === 0 && results.every(({ outcome }) => outcome === 'held'),
    results,
    notChecked,
  }
}

const readCases = (createStorage: CreateStorage, options: ConformanceOptions): readonly ReadyCase[] => {
  const { createFailingStorage, createInterruptedStorages, createHeldStorage, createSharedStorages } = options
  return [
    ...conformanceCases.map((each) => onOne(createStorage, each)),
    ...(createFailingStorage ? failureCases.map((each) => onOne(createFailingStorage, each)) : []),
    ...(createInterruptedStorages
      ? interruptionCases.map((each) => onTwo(() => createInterruptedStorages(each.moment), each))
      : []),
    ...(createHeldStorage ? waitingCases.map((each) => onHeld(createHeldStorage, each)) : []),
    ...(createSharedStorages ? sharingCases.map((each) => onTwo(createSharedStorages, each)) : []),
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

const onHeld = (
  create: () => Awaitable<readonly [SessionStorage, Hold]>,
  { capability, title, run }: WaitingCase,
): ReadyCase => ({
  capability,
  title,
  prepare: async () => {
    const [storage, hold] = await create()
    return { storages: [storage], run: () => run(storage, hold) }
  },
})

const defaultLimitMs = 10_000

const runCase = async (readyCase: ReadyCase, options: ConformanceOptions): Promise<CaseResult> => {
  const { capability, title } = readyCase
  try {
    await runOnFreshStorages(readyCase, options)
    return { capability, title, outcome: 'held' }
  } catch (failure) {
    return { capability, title, outcome: 'broken', failure }
  }
}

const runOnFreshStorages = async ({ prepare }: ReadyCase, options: ConformanceOptions): Promise<void> => {
  const { caseLimitMs = defaultLimitMs, closeStorage } = options
  const withinLimit = <T>(name: string, work: () => Awaitable<T>): Promise<T> =>
    withTimeLimit(name, Promise.resolve().then(work), caseLimitMs)

  const { storages, run } = await withinLimit('making a storage', prepare)
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
  return [...failures, ...interruptions, ...waiting, ...sharing]
}
