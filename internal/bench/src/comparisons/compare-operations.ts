import type { Setting } from '../comparison.js'
import { type MeasuredLoad, measureOperation, type TitledFigures } from '../measure/measure-operations.js'
import { inPairs } from '../measure/statistics.js'
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
  readonly limit: string
  /** Its name in the headings of columns. @default 'the baseline' */
  readonly limitTitle?: string
  /** The names of contenders that cannot run here. */
  readonly omitted?: readonly string[]
  readonly caption: string
  readonly load: Omit<MeasuredLoad, 'seconds'>
  readonly world: World
}

type Compare = (name: string, to: string) => readonly number[]

/** The figures of a group. */
export interface ComparedOperations {
  readonly table: Table
  /** Returns the wall time of one contender divided by that of another, for each round. */
  readonly timeRatio: Compare
  /**
   * Returns the CPU time of one contender divided by that of another, for each round. On an idle machine, one client that never
   * waits has equal CPU and wall times.
   */
  readonly cpuRatio: Compare
  /** Returns the CPU time of one contender minus that of another, in µs per call, for each round. */
  readonly cpuAbove: Compare
}

/** Measures every contender of a group, each in its own process. */
export const compareOperations = async (setting: Setting, plan: OperationPlan): Promise<ComparedOperations> => {
  const { programs, effort, log } = setting
  const measured = await takeTurns(
    chooseContenders(setting, plan.group, [plan.limit, 'ours']).filter(({ name }) => !plan.omitted?.includes(name)),
    async (contender, round) => {
      const load = { ...plan.load, seconds: effort.seconds }
      const figures = await measureOperation(programs, { contender, world: plan.world }, load)
      log(`round ${round + 1}: ${plan.group}/${contender.name} ${toText(figures.wallMicroseconds)} µs`)
      return figures
    },
    effort,
  )
  const all = new Map([...measured].map(([{ name }, figures]) => [name, figures]))
  const compare =
    (read: (figures: TitledFigures) => number, combine: (one: number, other: number) => number): Compare =>
    (name, to) =>
      inPairs((all.get(name) ?? []).map(read), (all.get(to) ?? []).map(read), combine)
  const divide = (one: number, other: number): number => one / other
  const timeRatio = compare(({ wallMicroseconds }) => wallMicroseconds, divide)
  const cpuRatio = compare(({ cpuMicroseconds }) => cpuMicroseconds, divide)
  const cpuAbove = compare(
    ({ cpuMicroseconds }) => cpuMicroseconds,
    (one, other) => one - other,
  )
  const rows = [...all].map(([name, figures]) => [
    ...toCells(figures),
    withSpread(timeRatio(name, plan.limit)),
    withSpread(cpuRatio(name, plan.limit)),
  ])
  return {
    table: { caption: plan.caption, head: toHead(plan.limitTitle ?? 'the baseline'), rows },
    timeRatio,
    cpuRatio,
    cpuAbove,
  }
}

const toHead = (limit: string): readonly string[] => [
  '',
  'µs per call',
  'CPU µs per call',
  'calls per second',
  `time relative to ${limit}`,
  `CPU relative to ${limit}`,
]

const toCells = (figures: readonly TitledFigures[]): readonly string[] => [
  figures[0]?.title ?? '',
  withSpread(figures.map(({ wallMicroseconds }) => wallMicroseconds)),
  withSpread(figures.map(({ cpuMicroseconds }) => cpuMicroseconds)),
  withSpread(figures.map(({ wallMicroseconds }) => 1_000_000 / wallMicroseconds)),
]
