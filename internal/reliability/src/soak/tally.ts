import type { Progress } from '../scenario.js'

/** The results so far, by scenario and store. */
export interface Tally {
  readonly add: (scenario: string, progress: Progress) => void
  /** Returns the totals in one line. */
  readonly total: () => string
  /** Returns a table with one row per scenario and store. */
  readonly table: () => string
  readonly violations: () => number
}

const columns = ['rounds', 'operations', 'faults', 'violations'] as const

type Counts = Record<(typeof columns)[number] | 'slowestRecoveryMs', number>

const createCounts = (): Counts => ({ rounds: 0, operations: 0, faults: 0, violations: 0, slowestRecoveryMs: 0 })

/** Creates an empty tally. */
export const createTally = (): Tally => {
  const rows = new Map<string, { readonly scenario: string; readonly store: string; readonly counts: Counts }>()
  const total = createCounts()

  const rowOf = (scenario: string, store: string): Counts => {
    const key = `${scenario} ${store}`
    const row = rows.get(key) ?? { scenario, store, counts: createCounts() }
    rows.set(key, row)
    return row.counts
  }

  return {
    add: (scenario, { store, violations = [], recoveryMs = 0, ...numbers }) => {
      for (const counts of [rowOf(scenario, store), total]) {
        counts.violations += violations.length
        counts.slowestRecoveryMs = Math.max(counts.slowestRecoveryMs, recoveryMs)
        for (const name of ['rounds', 'operations', 'faults'] as const) counts[name] += numbers[name] ?? 0
      }
    },
    total: () => columns.map((name) => `${format(total[name])} ${name}`).join(', '),
    table: () =>
      toTable([
        ['scenario', 'store', ...columns, 'slowest recovery'],
        ...[...rows.values()].map(({ scenario, store, counts }) => [scenario, store, ...toCells(counts)]),
        ['all', '', ...toCells(total)],
      ]),
    violations: () => total.violations,
  }
}

const format = (count: number): string => count.toLocaleString('en-US')

const toCells = (counts: Counts): readonly string[] => [
  ...columns.map((name) => format(counts[name])),
  counts.slowestRecoveryMs === 0 ? '' : `${format(Math.round(counts.slowestRecoveryMs))} ms`,
]

/** Aligns the first two columns to the left and the columns of numbers to the right. */
const toTable = (rows: readonly (readonly string[])[]): string => {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const pad = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widthOf(column)) : cell.padStart(widthOf(column))
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n')
}
