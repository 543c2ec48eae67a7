import { median, quantile } from './measure/statistics.js'

/** A table of a report. */
export interface Table {
  readonly caption: string
  /** The headings of the columns. All columns but the first hold figures. */
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** The figures of the rows, for `--json`. */
  readonly records?: readonly object[]
}

/** Writes a table as Markdown, below its caption. */
export const toMarkdown = ({ caption, head, rows }: Table): string => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const marks = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [caption, '', line(head), `|${marks.join('|')}|`, ...rows.map(line)].join('\n')
}

/**
 * Formats a number with three significant digits and separated thousands: `0.913`, `12.3`, `8,120`.
 */
export const toText = (value: number): string => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return value.toPrecision(3)
}

/**
 * Formats the median and the range of the middle half of the rounds. Formats only the median for
 * one round.
 */
export const withSpread = (values: readonly number[]): string => {
  const middle = toText(median(values))
  return values.length === 1
    ? middle
    : `${middle} (${toText(quantile(values, 0.25))}–${toText(quantile(values, 0.75))})`
}
