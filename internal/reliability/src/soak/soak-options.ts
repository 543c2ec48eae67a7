import { parseArgs } from 'node:util'

/** What the soak command is told. */
export interface SoakOptions {
  readonly minutes: number
  /** Determines what chance adds; not the order in which the machine does things. */
  readonly seed: number
  /** The names of the scenarios that are run. */
  readonly only: readonly string[]
  /** Whether the scenarios are tried against planted bugs. */
  readonly isPlanted: boolean
}

/** How the command is used. */
export const usage = 'npm run soak -- [--minutes N] [--seed N] [--only NAME …] [--planted]'

const defaultMinutes = 20

/**
 * Reads the command line. Throws an `Error` with a sentence for whoever typed it.
 *
 * @example readSoakOptions(['--minutes', '5', '--only', 'revocations'], { names, drawSeed: () => 7 })
 */
export const readSoakOptions = (
  args: readonly string[],
  { names, drawSeed }: { readonly names: readonly string[]; readonly drawSeed: () => number },
): SoakOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      planted: { type: 'boolean', default: false },
    },
  })
  const only = values.only ?? names
  const unknown = only.find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`There is no scenario ${unknown}; there are ${names.join(', ')}.`)
  return {
    minutes: readNumber('minutes', values.minutes) ?? defaultMinutes,
    seed: readNumber('seed', values.seed) ?? drawSeed(),
    only,
    isPlanted: values.planted,
  }
}

const readNumber = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new Error(`--${name} takes a number, not ${text}.`)
}
