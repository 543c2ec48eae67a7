import type { DefectName } from './defects.js'
import type { Random } from './random.js'

/** Something that can be done to the service for as long as one likes. */
export interface Scenario {
  /** As `npm run soak -- --only` takes it. */
  readonly name: string
  /** Goes on until the deadline or the signal, tells what it did, and leaves nothing behind. */
  readonly run: (context: ScenarioContext) => Promise<void>
}

/** What a scenario is given. */
export interface ScenarioContext {
  readonly random: Random
  /** On the clock of `performance.now()`, in milliseconds. A round that has begun may end later. */
  readonly deadline: number
  /** Aborts when the run is to end early. */
  readonly signal: AbortSignal
  /** A bug of every service that the scenario starts. @default none */
  readonly defect?: DefectName
  readonly report: (progress: Progress) => void
}

/** What came of a part of a scenario; numbers are added up. */
export interface Progress {
  /** The store it ran over, or whatever else the row of the summary is to be called. */
  readonly store: string
  readonly rounds?: number
  readonly operations?: number
  readonly faults?: number
  /** From the end of a fault until the service did everything again, in milliseconds; of several the longest counts. */
  readonly recoveryMs?: number
  /** What was broken, each in a text of one or several lines. */
  readonly violations?: readonly string[]
}

/** The defect as a setting of a service. */
export const toDefect = ({ defect }: Pick<ScenarioContext, 'defect'>): Pick<ScenarioContext, 'defect'> =>
  defect === undefined ? {} : { defect }

/** Whether a scenario is to begin nothing more. */
export const isOver = ({ deadline, signal }: Pick<ScenarioContext, 'deadline' | 'signal'>): boolean =>
  signal.aborted || performance.now() >= deadline
