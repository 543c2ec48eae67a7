import { createRandom } from '../random.js'
import type { Progress, Scenario } from '../scenario.js'
import type { SoakOptions } from './soak-options.js'

/** What a soak needs to run. */
export interface SoakContext {
  readonly scenarios: readonly Scenario[]
  /** Aborts when the run is to end early. */
  readonly signal: AbortSignal
  /** Prints whole lines. */
  readonly print: (text: string) => void
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number
}

// Long enough to start several fleets, short enough that each scenario has several turns.
const longestTurnMs = 60_000
const turnsPerScenario = 3
const greatestSeed = 2 ** 31 - 1

/**
 * Runs scenarios in turns until the time has passed, and prints a summary. A scenario that rejects
 * counts as a violation. Resolves to the number of violations.
 */
export const runSoak = async (
  { minutes, seed, only }: SoakOptions,
  { scenarios, signal, print, now }: SoakContext,
): Promise<number> => {
  const chosen = scenarios.filter(({ name }) => only.includes(name))
  const startedAt = now()
  const end = startedAt + minutes * 60_000
  const turnMs = Math.min(longestTurnMs, (end - startedAt) / (turnsPerScenario * Math.max(1, chosen.length)))
  const tally = createTally()
  const seeds = createRandom(seed)

  const takeTurn = async ({ name, run }: Scenario): Promise<void> => {
    const report = (progress: Progress): void => {
      tally.add(name, progress)
      for (const violation of progress.violations ?? [])
        print(`VIOLATION in ${name} on ${progress.store}: ${violation}`)
    }
    try {
      const random = createRandom(seeds.between(0, greatestSeed))
      await run({ random, deadline: Math.min(end, now() + turnMs), signal, report })
    } catch (failure) {
      report({ store: 'none', violations: [failure instanceof Error ? String(failure.stack) : String(failure)] })
    }
  }

  print(`seed ${seed}, ${minutes} minutes: ${chosen.map(({ name }) => name).join(', ')}`)
  let current = ''
  const stopReports = repeatEvery(10_000, () => print(`${toClock(now() - startedAt)} ${current}: ${tally.total()}`))
  try {
    for (let turn = 0; now() < end && !signal.aborted; turn += 1) {
      const scenario = chosen[turn % chosen.length]
      if (scenario === undefined) break
      current = scenario.name
      await takeTurn(scenario)
    }
  } finally {
    stopReports()
  }
  print(`\n${signal.aborted ? 'ended early ' : ''}after ${toClock(now() - startedAt)}, seed ${seed}\n${tally.table()}`)
  return tally.violations()
}

const repeatEvery = (intervalMs: number, run: () => void): (() => void) => {
  const timer = setInterval(run, intervalMs)
  return () => clearInterval(timer)
}

const toClock = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** The results so far, by scenario and store. */
interface Tally {
  readonly add: (scenario: string, progress: Progress) => void
  /** Returns the totals in one line. */
  readonly total: () => string
  /** Returns a table with one row per scenario and store. */
  readonly table: () => string
  readonly violations: () => number
}

const reported = ['rounds', 'operations', 'faults', 'losses', 'refusals'] as const
const columns = [...reported, 'violations'] as const

type Counts = Record<(typeof columns)[number] | 'slowestRecoveryMs', number>

const createCounts = (): Counts => ({
  rounds: 0,
  operations: 0,
  faults: 0,
  losses: 0,
  refusals: 0,
  violations: 0,
  slowestRecoveryMs: 0,
})

/** Creates an empty tally. */
const createTally = (): Tally => {
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
        for (const name of reported) counts[name] += numbers[name] ?? 0
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
