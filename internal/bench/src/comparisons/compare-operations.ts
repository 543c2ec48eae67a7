import { withOpened } from '@jwt-auth/test-support'
import type { Effort, Setting } from '../comparison.js'
import { type OperationGroup, operations } from '../contenders/contenders.js'
import { inPairs, median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import type { OperationFigures, OperationLoad } from '../processes/operations.js'
import { type Table, toText, withSpread } from '../table.js'
import type { World } from '../world/world.js'

/** A group of contenders for the same operation. */
export interface OperationPlan {
  readonly group: OperationGroup
  /** The name of the contender that the others are compared with. */
  readonly baseline: string
  readonly caption: string
  readonly load: Pick<OperationLoad, 'clients' | 'runsBetweenLooks'> & { readonly warmUpRuns: number }
  readonly world: World
}

interface TitledFigures extends OperationFigures {
  readonly title: string
}

const head = ['', 'µs per call', 'CPU µs per call', 'calls per second', 'time / baseline', 'CPU / baseline']

/**
 * Measures every contender of a group, each in its own process. The fastest contender has the first
 * row.
 */
export const compareOperations = async (
  { programs, effort, log }: Setting,
  { group, baseline, caption, load: { warmUpRuns, ...load }, world }: OperationPlan,
): Promise<Table> => {
  const measure = (name: string, round: number): Promise<TitledFigures> =>
    withOpened(programs.startOperations(), async ({ call }) => {
      const title = await call.open(group, name, world)
      // A number of runs rather than a time: on a busy machine, a second may pass before the code is
      // compiled.
      await call.measure({ ...load, seconds: 0, minRuns: warmUpRuns })
      const figures = await call.measure({ ...load, seconds: effort.seconds, minRuns: 1 })
      log(`round ${round + 1}: ${group}/${name} ${toText(figures.wallMicroseconds)} µs`)
      return { title, ...figures }
    })
  const names = chooseContenders(effort, Object.keys(operations[group]), baseline)
  const measured = await takeTurns(names, measure, effort)
  const rows = [...measured.values()]
    .toSorted((one, other) => median(one.map(readTime)) - median(other.map(readTime)))
    .map((figures) => toRow(figures, measured.get(baseline) ?? []))
  return { caption, head, rows }
}

/** Returns the contenders that the user chose to measure, and the baseline. */
export const chooseContenders = ({ only }: Effort, names: readonly string[], baseline: string): readonly string[] =>
  names.filter((name) => only.length === 0 || only.includes(name) || name === baseline)

const readTime = ({ wallMicroseconds }: TitledFigures): number => wallMicroseconds
const readCpu = ({ cpuMicroseconds }: TitledFigures): number => cpuMicroseconds

const toRow = (figures: readonly TitledFigures[], baseline: readonly TitledFigures[]): readonly string[] => {
  const toRatio = (read: (figures: TitledFigures) => number): string =>
    withSpread(inPairs(figures.map(read), baseline.map(read), (one, other) => one / other))
  return [
    figures[0]?.title ?? '',
    withSpread(figures.map(readTime)),
    withSpread(figures.map(readCpu)),
    withSpread(figures.map((one) => 1_000_000 / readTime(one))),
    toRatio(readTime),
    toRatio(readCpu),
  ]
}
