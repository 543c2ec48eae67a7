import { parseArgs } from 'node:util'
import type { Effort } from './comparison.js'

/** What the command was told. */
export interface CommandLine {
  /** The comparisons to run; none asks for the list of them. */
  readonly names: readonly string[]
  readonly effort: Omit<Effort, 'signal'>
  /** Whether the tables go into docs/performance.md. */
  readonly writes: boolean
}

/** How the command is used. */
export const usage = `npm run bench -- NAME … [--write] [--rounds N] [--seconds N] [--only CONTENDER,…]
npm run bench -- --smoke   runs all of them, very short, to see that they work`

/**
 * Reads the command line. Throws an `Error` with a sentence for whoever typed it.
 *
 * @param known the names of all comparisons
 * @example readCommandLine(['guard', '--rounds', '3'], ['guard', 'login'])
 */
export const readCommandLine = (args: readonly string[], known: readonly string[]): CommandLine => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
    },
  })
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no comparison ${unknown}; there are ${known.join(', ')}.`)
  const isSmoke = values.smoke
  if (values.write && values.only !== undefined) {
    throw new Error('--only leaves rows out, and --write would leave them out of the page: use one of them.')
  }
  return {
    names: isSmoke && positionals.length === 0 ? known : positionals,
    writes: values.write && !isSmoke,
    effort: {
      isSmoke,
      rounds: readWhole('rounds', values.rounds) ?? (isSmoke ? 1 : 5),
      seconds: readNumber('seconds', values.seconds) ?? (isSmoke ? 0.1 : 2),
      atOnce: isSmoke ? 3 : 1,
      only: values.only?.split(',') ?? [],
    },
  }
}

const readNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value > 0) return value
  throw new Error(`--${name} takes a number above 0, not ${text}.`)
}

const readWhole = (name: string, text: string | undefined): number | undefined => {
  const value = readNumber(name, text)
  if (value === undefined || Number.isInteger(value)) return value
  throw new Error(`--${name} takes a whole number, not ${text}.`)
}
