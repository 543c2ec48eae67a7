import type { Comparison, Findings } from '../comparison.js'
import { toGoalTable } from './goal.js'
import { toMarkdown } from './table.js'

/** Where and how figures were measured. */
export interface Circumstances {
  /** The command. */
  readonly command: string
  readonly rounds: number
  readonly nodeVersion: string
  readonly cores: number
  readonly date: Date
}

/** Writes the section of a comparison as Markdown, without its heading. */
export const toSection = ({ method }: Comparison, { tables, goals }: Findings, made: Circumstances): string => {
  const rounds = made.rounds === 1 ? 'one round' : `${made.rounds} rounds`
  const origin = `\`${made.command}\`: ${rounds}, Node ${made.nodeVersion}, ${made.cores} cores, ${made.date.toISOString().slice(0, 10)}.`
  const all = goals.length === 0 ? tables : [...tables, toGoalTable(goals)]
  return [wrap(method), origin, ...all.map(toMarkdown)].join('\n\n')
}

const lineLength = 130

const wrap = (paragraph: string): string => {
  const lines: string[] = []
  for (const word of paragraph.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length === 0 || longer.length > lineLength) lines.push(word)
    else lines[lines.length - 1] = longer
  }
  return lines.join('\n')
}

/**
 * Replaces a section between its marks in a document: `<!-- bench:guard -->` and `<!-- /bench:guard -->`. Throws without marks.
 */
export const putSection = (document: string, name: string, section: string): string => {
  const [open, close] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const from = document.indexOf(open)
  const to = document.indexOf(close)
  if (from === -1 || to < from) throw new Error(`The document has no place for ${name}: ${open} … ${close}.`)
  return `${document.slice(0, from + open.length)}\n${section}\n${document.slice(to)}`
}
