import { type AdapterUnderTest, type Capability, type ConformanceCase, capabilities } from './conformance-case.js'
import { conformanceCases } from './conformance-cases.js'

/** Options of {@link runConformance}. */
interface ConformanceOptions {
  /**
   * The time limit of a case in milliseconds. Creating the storages of a case and closing each of
   * them have the same limit.
   *
   * @default 10000
   */
  readonly caseLimitMs?: number | undefined
  /**
   * Selects the cases to run, for work on one method. A run that omits a case is not conformant.
   * @default every case
   */
  readonly only?: ((each: SelectableCase) => boolean) | undefined
  /**
   * Called with the result of each case when the case ends. An error that it throws ends the run.
   */
  readonly onCase?: ((result: CaseResult) => void) | undefined
}

/** What {@link ConformanceOptions.only} selects a case by. */
export type SelectableCase = Pick<ConformanceCase, 'capability' | 'title'>

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
  /** The capabilities whose cases cannot run, because the adapter lacks their `create` function. */
  readonly notChecked: readonly Capability[]
}

const defaultLimitMs = 10_000

/**
 * Runs every case, one after another, each on its own storage. A failed case does not stop the run:
 * if creating, using or closing a storage fails, the result of the case contains the error.
 *
 * @throws only the error that `onCase` throws
 * @example
 * ```ts
 * const report = await runConformance({ createStorage: () => exampleStorage(emptyDatabase()) })
 * console.log(formatReport(report))
 * ```
 */
export const runConformance = async (
  adapter: AdapterUnderTest,
  { caseLimitMs = defaultLimitMs, only = () => true, onCase }: ConformanceOptions = {},
): Promise<ConformanceReport> => {
  const results: CaseResult[] = []
  const cases = conformanceCases(adapter, caseLimitMs)
  for (const each of cases.filter(only)) {
    const result = await runCase(each)
    results.push(result)
    onCase?.(result)
  }
  const notChecked = capabilities.filter((name) => cases.every(({ capability }) => capability !== name))
  const havePassed = results.length === cases.length && results.every(({ outcome }) => outcome === 'passed')
  return { isConformant: notChecked.length === 0 && havePassed, results, notChecked }
}

const runCase = async ({ capability, title, run }: ConformanceCase): Promise<CaseResult> => {
  try {
    await run()
    return { capability, title, outcome: 'passed' }
  } catch (failure) {
    return { capability, title, outcome: 'failed', failure }
  }
}
