import type { Awaitable, SessionStorage } from '@jwt-auth/core'
import { failureCases } from './cases/failures.js'
import { interruptionCases } from './cases/interruptions.js'
import { sharingCases } from './cases/sharing.js'
import type { Capability, Moment, SharingCase } from './conformance-case.js'
import { conformanceCases } from './conformance-cases.js'
import { withTimeLimit } from './time-limit.js'

/** Makes a storage that is empty. */
export type CreateStorage = () => Awaitable<SessionStorage>

/** How the cases are run. */
export interface ConformanceOptions {
  /** Milliseconds that a case may take, and making and closing its storage each as well. @default 10000 */
  readonly caseLimitMilliseconds?: number | undefined
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
  readonly createStorages: () => Awaitable<readonly SessionStorage[]>
  readonly run: (storages: readonly SessionStorage[]) => Promise<void>
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
  const { createFailingStorage, createSharedStorages, createInterruptedStorages } = options
  const onOne = (create: CreateStorage, cases: typeof conformanceCases): readonly ReadyCase[] =>
    cases.map(({ run, ...rest }) => ({
      ...rest,
      createStorages: async () => [await create()],
      run: async (storages) => {
        for (const storage of storages) await run(storage)
      },
    }))
  return [
    ...onOne(createStorage, conformanceCases),
    ...(createFailingStorage ? onOne(createFailingStorage, failureCases) : []),
    ...(createInterruptedStorages
      ? interruptionCases.map((each) => onTwo(() => createInterruptedStorages(each.moment), each))
      : []),
    ...(createSharedStorages ? sharingCases.map((each) => onTwo(createSharedStorages, each)) : []),
  ]
}

const onTwo = (
  create: () => Awaitable<readonly [SessionStorage, SessionStorage]>,
  { capability, title, run }: SharingCase,
): ReadyCase => ({
  capability,
  title,
  createStorages: create,
  run: async ([one, other]) => {
    if (one !== undefined && other !== undefined) return run(one, other)
    throw new TypeError('two storages were to be made, not one.')
  },
})

const defaultLimitMilliseconds = 10_000

const runCase = async (readyCase: ReadyCase, options: ConformanceOptions): Promise<CaseResult> => {
  const { capability, title } = readyCase
  try {
    await runOnFreshStorages(readyCase, options)
    return { capability, title, outcome: 'held' }
  } catch (failure) {
    return { capability, title, outcome: 'broken', failure }
  }
}

const runOnFreshStorages = async ({ createStorages, run }: ReadyCase, options: ConformanceOptions): Promise<void> => {
  const { caseLimitMilliseconds = defaultLimitMilliseconds, closeStorage } = options
  const withinLimit = <T>(name: string, work: () => Awaitable<T>): Promise<T> =>
    withTimeLimit(name, Promise.resolve().then(work), caseLimitMilliseconds)

  const storages = await withinLimit('making a storage', createStorages)
  try {
    await withinLimit('the case', () => run(storages))
  } finally {
    for (const storage of storages) await withinLimit('closing a storage', () => closeStorage?.(storage))
  }
}

const findNotChecked = (options: ConformanceOptions): readonly Capability[] => {
  const failures = options.createFailingStorage ? [] : (['failures'] as const)
  const interruptions = options.createInterruptedStorages ? [] : (['interruptions'] as const)
  const sharing = options.createSharedStorages ? [] : (['sharing'] as const)
  return [...failures, ...interruptions, ...sharing]
}
