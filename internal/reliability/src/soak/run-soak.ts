import { createRandom, type Random } from '../random.js'

/** Work that the soak repeats for as long as it has time. */
export interface Scenario {
  /** As `npm run soak -- --only` takes it. */
  readonly name: string
  /** Runs until the deadline or the signal, reports what it did, and removes what it created. */
  readonly run: (context: ScenarioContext) => Promise<void>
}

/** What a scenario receives. */
export interface ScenarioContext {
  readonly random: Random
  /**
   * On the clock of `performance.now()`, in milliseconds. A round that has started may end later.
   */
  readonly deadline: number
  /** Aborts when the run has to end early. */
  readonly signal: AbortSignal
  readonly report: (progress: Progress) => void
}

/** The results of a part of a scenario. Numbers are added up. */
export interface Progress {
  /** The store, or another name for the row in the summary. */
  readonly store: string
  readonly rounds?: number
  readonly operations?: number
  readonly faults?: number
  /** The sessions that lost an acknowledged write, as docs/reliability.md warns. */
  readonly losses?: number
  /** Those of them that were refused: their users have to log in again. */
  readonly refusals?: number
  /**
   * The time from the end of a fault until the service had recovered, in milliseconds. The longest
   * time counts.
   */
  readonly recoveryMs?: number
  /** The broken promises, each in a text of one or more lines. */
  readonly violations?: readonly string[]
}

/** What a soak needs to run. */
export interface Soak {
  readonly minutes: number
  readonly seed: number
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
 * counts as a violation. Resolves to the number of violations and the summary.
 */
export const runSoak = async ({ minutes, seed, scenarios, signal, print, now }: Soak) => {
  const startedAt = now()
  const end = startedAt + minutes * 60_000
  const turnMs = Math.min(longestTurnMs, (end - startedAt) / (turnsPerScenario * scenarios.length))
  const total = createCounts()
  const rows = new Map<string, Counts>()
  const seeds = createRandom(seed)
  const takeTurn = async ({ name, run }: Scenario): Promise<void> => {
    const report = (progress: Progress): void => {
      const title = `${name} on ${progress.store}`
      const row = rows.get(title) ?? createCounts()
      rows.set(title, row)
      for (const counts of [row, total]) add(counts, progress)
      for (const violation of progress.violations ?? []) print(`VIOLATION in ${title}: ${violation}`)
    }
    try {
      const random = createRandom(seeds.between(0, greatestSeed))
      await run({ random, deadline: Math.min(end, now() + turnMs), signal, report })
    } catch (failure) {
      report({ store: 'none', violations: [failure instanceof Error ? String(failure.stack) : String(failure)] })
    }
  }
  const describeTime = (): string => `after ${Math.round((now() - startedAt) / 1_000)} seconds`

  print(`seed ${seed}, ${minutes} minutes: ${scenarios.map(({ name }) => name).join(', ')}`)
  const reports = setInterval(() => print(`${describeTime()}: ${describeCounts(total)}`), 10_000)
  for (let turn = 0; now() < end && !signal.aborted; turn += 1) {
    const scenario = scenarios[turn % scenarios.length]
    if (scenario !== undefined) await takeTurn(scenario)
  }
  clearInterval(reports)
  const lines = [...rows, ['all', total] as const].map(([title, counts]) => `${title}: ${describeCounts(counts)}`)
  print(`\n${signal.aborted ? 'ended early ' : ''}${describeTime()}, seed ${seed}\n${lines.join('\n')}`)
  return { violations: total.violations, lines }
}

const sums = ['rounds', 'operations', 'faults', 'losses', 'refusals'] as const

const createCounts = () => ({
  rounds: 0,
  operations: 0,
  faults: 0,
  losses: 0,
  refusals: 0,
  violations: 0,
  slowestRecoveryMs: 0,
})

type Counts = ReturnType<typeof createCounts>

const add = (counts: Counts, progress: Progress): void => {
  for (const name of sums) counts[name] += progress[name] ?? 0
  counts.violations += progress.violations?.length ?? 0
  counts.slowestRecoveryMs = Math.max(counts.slowestRecoveryMs, Math.round(progress.recoveryMs ?? 0))
}

const describeCounts = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
    .join(', ')

/** Returns whether a scenario must not start another round. */
export const isFinished = ({ deadline, signal }: Pick<ScenarioContext, 'deadline' | 'signal'>): boolean =>
  signal.aborted || performance.now() >= deadline
