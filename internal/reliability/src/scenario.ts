import type { Random } from './random.js'

/** Work that the soak repeats for as long as it has time. */
export interface Scenario {
  /** As `npm run soak -- --only` takes it. */
  readonly name: string
  /** Runs until the deadline or the signal, reports what it did, and removes what it created. */
  readonly run: (context: ScenarioContext) => Promise<void>
}

/** What a scenario receives. */
export interface ScenarioContext {
  readonly random: Random
  /**
   * On the clock of `performance.now()`, in milliseconds. A round that has started may end later.
   */
  readonly deadline: number
  /** Aborts when the run has to end early. */
  readonly signal: AbortSignal
  readonly report: (progress: Progress) => void
}

/** The results of a part of a scenario. Numbers are added up. */
export interface Progress {
  /** The store, or another name for the row in the summary. */
  readonly store: string
  readonly rounds?: number
  readonly operations?: number
  readonly faults?: number
  /** The sessions that lost an acknowledged write, as docs/reliability.md warns. */
  readonly losses?: number
  /** Those of them that were refused: their users have to log in again. */
  readonly refusals?: number
  /**
   * The time from the end of a fault until the service had recovered, in milliseconds. The longest
   * time counts.
   */
  readonly recoveryMs?: number
  /** The broken promises, each in a text of one or more lines. */
  readonly violations?: readonly string[]
}

/** Returns whether a scenario must not start another round. */
export const isFinished = ({ deadline, signal }: Pick<ScenarioContext, 'deadline' | 'signal'>): boolean =>
  signal.aborted || performance.now() >= deadline
