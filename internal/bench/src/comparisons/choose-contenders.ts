import type { Setting } from '../comparison.js'
import type { ContenderFile } from '../processes/programs.js'

/**
 * The contenders of a folder that a run asks for. Those that others are measured against are always there.
 *
 * @param needed names of contenders that tables and goals compare with
 */
export const chooseContenders = (
  { programs, effort }: Setting,
  group: string,
  needed: readonly string[],
): readonly ContenderFile[] =>
  programs
    .contendersOf(group)
    .filter(({ name }) => effort.only.length === 0 || effort.only.includes(name) || needed.includes(name))
