import type { Turns } from './measure/take-turns.js'
import type { Programs } from './processes/programs.js'
import type { Table } from './table.js'

/** How long and how often to measure. */
export interface Effort extends Turns {
  /** The time for one figure of one contender in one round. */
  readonly seconds: number
  /**
   * Whether the run only checks that everything works. If so, everything slow is replaced by
   * something small: few tokens, few requests, one round.
   */
  readonly isSmoke: boolean
  /** The names of the contenders to measure. All of them when empty. */
  readonly only: readonly string[]
}

/** What a comparison needs to run. */
export interface Setting {
  readonly programs: Programs
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
