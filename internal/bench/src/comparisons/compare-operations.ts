import type { Setting } from '../comparison.js'
import { type MeasuredLoad, measureOperation, type TitledFigures } from '../measure/measure-operations.js'
import { inPairs, median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { toText, withSpread } from '../report/figures.js'
import type { Table } from '../report/table.js'
import type { World } from '../world/world.js'
import { chooseContenders } from './choose-contenders.js'

/** A group of contenders for the same operation. */
export interface OperationPlan {
  /** The folder of contenders. */
  readonly group: string
  /** The name of the contender that the others are compared with. */
  readonly baseline: string
  readonly caption: string
  readonly load: Omit<MeasuredLoad, 'seconds'>
  readonly world: World
}

const head = ['', 'µs per call', 'CPU µs per call', 'calls per second', 'time / baseline', 'CPU / baseline']

/** Measures every contender of a group, each in its own process. The fastest contender has the first row. */
export const compareOperations = async (setting: Setting, plan: OperationPlan): Promise<Table> => {
  const { programs, effort, log } = setting
  const measured = await takeTurns(
    chooseContenders(setting, plan.group, [plan.baseline]),
    async (contender, round) => {
      const load = { ...plan.load, seconds: effort.seconds }
      const figures = await measureOperation(programs, { contender, world: plan.world }, load)
      log(`round ${round + 1}: ${plan.group}/${contender.name} ${toText(figures.wallMicroseconds)} µs`)
      return figures
    },
    effort,
  )
  const all = [...measured].map(([{ name }, figures]) => ({ name, figures }))
  const baseline = all.find(({ name }) => name === plan.baseline)?.figures ?? []
  const rows = all
    .toSorted((one, other) => median(one.figures.map(readTime)) - median(other.figures.map(readTime)))
    .map(({ figures }) => toRow(figures, baseline))
  return { caption: plan.caption, head, rows }
}

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
