import { toMarkdownTable } from '@jwt-auth/test-support'

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
