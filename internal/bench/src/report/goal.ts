import { median } from '../measure/statistics.js'
import { withSpread } from './figures.js'
import type { Table } from './table.js'

/** A target, and the figure in each round. */
export interface Goal {
  /** What is measured: "CPU above bare Express, one token, in µs". */
  readonly what: string
  readonly sign: '≤' | '≥'
  readonly limit: number
  readonly measured: readonly number[]
}

/** Writes goals as a table. */
export const toGoalTable = (goals: readonly Goal[]): Table => ({
  caption: 'Goals:',
  head: ['Goal', 'target', 'measured', 'result'],
  rows: goals.map((goal) => [
    goal.what,
    `${goal.sign} ${goal.limit}`,
    withSpread(goal.measured),
    isReached(goal) ? 'reached' : 'missed',
  ]),
})

const isReached = ({ sign, limit, measured }: Goal): boolean =>
  sign === '≤' ? median(measured) <= limit : median(measured) >= limit
