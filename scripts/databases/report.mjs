// What the matrix of databases prints.
import { suites } from './suites.mjs'

const columns = Object.keys(suites)

/** Whether a row is no failure. A database that is unavailable is none, and is reported. */
export const isUsable = ({ failure }) => failure === undefined

/** A line for the end of one database. */
export const toLine = ({ name, counts, unavailable, failure }) => {
  if (unavailable !== undefined) return `SKIPPED  ${name}: ${unavailable}`
  if (failure !== undefined) return `FAILED   ${name}\n${failure}`
  return `passed   ${name}: ${Object.values(counts).reduce((sum, { passed }) => sum + passed, 0)} tests`
}

/** The Markdown table of all rows: store × suite, and the reason of each database that was skipped. */
export const toTable = (rows) => {
  const lines = rows.map((row) => `| ${[row.name, ...columns.map((suite) => toCell(row, suite))].join(' | ')} |`)
  const head = [`| ${['Store', ...columns].join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`]
  const skipped = rows.filter(({ unavailable }) => unavailable !== undefined).map(toLine)
  return `${[[...head, ...lines].join('\n'), ...skipped].join('\n\n')}\n`
}

const toCell = ({ counts, unavailable }, suite) => {
  if (unavailable !== undefined) return '**SKIPPED**'
  if (counts === undefined) return '**failed**'
  // The suite is of another kind of database.
  if (counts[suite] === undefined) return '–'
  const { passed, skipped, failed } = counts[suite]
  const others = [...(skipped > 0 ? [`${skipped} skipped`] : []), ...(failed > 0 ? [`**${failed} failed**`] : [])]
  return [`${passed} passed`, ...others].join(', ')
}
