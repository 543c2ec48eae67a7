/** A table of a report. */
export interface Table {
  readonly caption: string
  /** The headings of the columns. All columns but the first hold figures. */
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Writes a table as Markdown, below its caption. */
export const toMarkdown = ({ caption, head, rows }: Table): string => {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const marks = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [caption, '', line(head), `|${marks.join('|')}|`, ...rows.map(line)].join('\n')
}
