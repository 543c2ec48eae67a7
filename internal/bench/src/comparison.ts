import { type RemoteProgram, toMarkdownTable } from '@jwt-auth/test-support'
import type { BenchProcess } from './process.js'
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

/** A table of figures. */
export interface Table {
  readonly caption: string
  /** The headings of the columns. All columns but the first hold figures. */
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Writes a table as Markdown, below its caption. */
export const toMarkdown = ({ caption, head, rows }: Table): string => `${caption}\n\n${toMarkdownTable(head, rows)}`

/** Formats the median of the rounds with three significant digits: `0.913`, `12.3`, `8,120`. */
export const toText = (values: readonly number[]): string => {
  const value = median(values)
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)))
}

/** Returns the median. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
}

/** Combines the values of two contenders that were measured in the same round. */
export const inPairs = (
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): readonly number[] => ours.map((our, round) => combine(our, theirs[round] ?? Number.NaN))
