import type { Turns } from './measure/take-turns.js'
import type { Programs } from './processes/programs.js'
import type { Goal } from './report/goal.js'
import type { Table } from './report/table.js'

/** How thoroughly is measured. */
export interface Effort extends Turns {
  /** How long one figure of one contender is measured in one round. */
  readonly seconds: number
  /** Whether this run only proves that everything works: then all that takes long is made small. */
  readonly isSmoke: boolean
  /** Contenders to leave all others out for, by their files' names; all of them when empty. */
  readonly only: readonly string[]
}

/** What a comparison runs in. */
export interface Setting {
  readonly programs: Programs
  readonly effort: Effort
  /** Takes a line that says how far it is. */
  readonly tell: (line: string) => void
}

/** What a comparison found. */
export interface Findings {
  readonly tables: readonly Table[]
  readonly goals: readonly Goal[]
}

/** A question with contenders: `npm run bench -- name`. */
export interface Comparison {
  readonly name: string
  /** One line: what is compared. */
  readonly summary: string
  /** What was done, as a paragraph for whoever reads the tables. */
  readonly method: string
  readonly run: (setting: Setting) => Promise<Findings>
}
