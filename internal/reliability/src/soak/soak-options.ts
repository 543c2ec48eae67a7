import { parseArgs } from 'node:util'

/** The options of the soak command. */
export interface SoakOptions {
  readonly minutes: number
  /** Determines the random choices, but not the order in which concurrent events happen. */
  readonly seed: number
  /** The names of the scenarios to run. */
  readonly only: readonly string[]
}

/** The usage of the command. */
export const usage = 'npm run soak -- [--minutes N] [--seed N] [--only NAME …]'

const defaultMinutes = 20

/**
 * Parses the command line. Throws an `Error` with a sentence for the user of the command.
 *
 * @example parseSoakOptions(['--minutes', '5', '--only', 'revocations'], { names, createSeed: () => 7 })
 */
export const parseSoakOptions = (
  args: readonly string[],
  { names, createSeed }: { readonly names: readonly string[]; readonly createSeed: () => number },
): SoakOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
    },
  })
  const only = values.only ?? names
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`Unknown scenario ${unknown}. The scenarios are ${names.join(', ')}.`)
  return {
    minutes: parseNumber('minutes', values.minutes) ?? defaultMinutes,
    seed: parseNumber('seed', values.seed) ?? createSeed(),
    only,
  }
}

const parseNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new Error(`--${name} must be a number of at least 0, not "${text}".`)
}
