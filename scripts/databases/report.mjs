// The report of `npm run databases`.
import { suites } from './suites.mjs'

const columns = Object.keys(suites)

/** Returns whether a row is not a failure. An unavailable database is not a failure. */
export const isUsable = ({ failure }) => failure === undefined

/** Returns the line for one database. */
export const toLine = ({ name, counts, unavailable, failure }) => {
  if (unavailable !== undefined) return `SKIPPED  ${name}: ${unavailable}`
  if (failure !== undefined) return `FAILED   ${name}\n${failure}`
  return `passed   ${name}: ${Object.values(counts).reduce((sum, { passed }) => sum + passed, 0)} tests`
}

/** Returns the Markdown table of all rows, with a column for each suite, and a line for each skipped database with its reason. */
export const toTable = (rows) => {
  const lines = rows.map((row) => `| ${[row.name, ...columns.map((suite) => toCell(row, suite))].join(' | ')} |`)
  const head = [`| ${['Store', ...columns].join(' | ')} |`, `|${'---|'.repeat(columns.length + 1)}`]
  const skipped = rows.filter(({ unavailable }) => unavailable !== undefined).map(toLine)
  return `${[[...head, ...lines].join('\n'), ...skipped].join('\n\n')}\n`
}

const toCell = ({ counts, unavailable }, suite) => {
  if (unavailable !== undefined) return '**SKIPPED**'
  if (counts === undefined) return '**failed**'
  // The suite belongs to other databases.
  if (counts[suite] === undefined) return '–'
  const { passed, skipped, failed } = counts[suite]
  const others = [...(skipped > 0 ? [`${skipped} skipped`] : []), ...(failed > 0 ? [`**${failed} failed**`] : [])]
  return [`${passed} passed`, ...others].join(', ')
}
