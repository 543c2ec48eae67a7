import type { RemoteProgram } from '@jwt-auth/test-support'
import type { BenchProcess } from './process.js'
import type { Table } from './table.js'
import type { Turns } from './take-turns.js'

/** How long and how often to measure. */
export interface Effort extends Turns {
  /** The time for one figure of one contender in one round. */
  readonly seconds: number
  /** Whether the run only checks that everything works, with few tokens and few requests. */
  readonly isSmoke: boolean
  /** The names of the contenders to measure. All of them when empty. */
  readonly only: readonly string[]
}

/** What a comparison needs to run. */
export interface Setting {
  /** Starts a process. The caller must end it. */
  readonly start: () => RemoteProgram<BenchProcess>
  readonly effort: Effort
  /** Prints a line about the progress. */
  readonly log: (line: string) => void
}

/** A comparison of contenders: `npm run bench -- name`. */
export interface Comparison {
  readonly name: string
  /** What is compared, in one line. */
  readonly summary: string
  readonly run: (setting: Setting) => Promise<readonly Table[]>
}

/** Returns the contenders that the user chose to measure, and the baseline. */
export const chooseContenders = ({ only }: Effort, names: readonly string[], baseline?: string): readonly string[] =>
  names.filter((name) => only.length === 0 || only.includes(name) || name === baseline)
