import { parseArgs } from 'node:util'
import type { Effort } from './comparison.js'

/** The options of the command. */
export interface CommandLine {
  /** The comparisons to run. The command lists all comparisons when this is empty. */
  readonly names: readonly string[]
  readonly effort: Omit<Effort, 'signal'>
  /** The JSON file to which the run is added. */
  readonly json: string | undefined
}

/** The usage of the command. */
export const usage = `npm run bench -- NAME … [--rounds N] [--seconds N] [--only CONTENDER,…] [--json FILE]
npm run bench -- --smoke   runs all of them, as briefly as possible, to check that they work`

/**
 * Parses the command line. Throws an `Error` with a sentence for the user of the command.
 *
 * @param known the names of all comparisons
 * @example parseCommandLine(['guard', '--rounds', '3'], ['guard', 'login'])
 */
export const parseCommandLine = (args: readonly string[], known: readonly string[]): CommandLine => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
    },
  })
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`Unknown comparison ${unknown}. The comparisons are ${known.join(', ')}.`)
  const isSmoke = values.smoke
  const rounds = Number(values.rounds ?? (isSmoke ? 1 : 5))
  const seconds = Number(values.seconds ?? (isSmoke ? 0.1 : 2))
  if (!(Number.isInteger(rounds) && rounds > 0 && Number.isFinite(seconds) && seconds > 0)) {
    throw new Error('--rounds must be an integer above 0, and --seconds a number above 0.')
  }
  return {
    json: values.json,
    names: isSmoke && positionals.length === 0 ? known : positionals,
    effort: {
      isSmoke,
      rounds,
      seconds,
      concurrency: isSmoke ? 3 : 1,
      only: values.only.split(',').filter(Boolean),
    },
  }
}
