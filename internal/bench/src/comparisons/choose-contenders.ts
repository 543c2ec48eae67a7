import type { Setting } from '../comparison.js'
import type { ContenderFile } from '../processes/programs.js'

/**
 * Returns the contenders of a folder that the user chose to measure.
 *
 * @param needed names of contenders that are always measured, since tables and goals compare others with them
 */
export const chooseContenders = (
  { programs, effort }: Setting,
  group: string,
  needed: readonly string[],
): readonly ContenderFile[] =>
  programs
    .contendersOf(group)
    .filter(({ name }) => effort.only.length === 0 || effort.only.includes(name) || needed.includes(name))
