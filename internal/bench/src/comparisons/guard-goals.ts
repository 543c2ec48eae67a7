import { inPairs } from '../measure/statistics.js'
import type { Goal } from '../report/goal.js'
import { type AllGuardFigures, type GuardCase, readCpuAbove, readRounds, readThroughputOf } from './guard-figures.js'

/** Returns the goals of the measured guards. */
export const toGuardGoals = (all: AllGuardFigures): readonly Goal[] => [
  ...toCpuGoals(all),
  ...toPeerGoals(all),
  ...toPostgresGoals(all),
]

interface CpuLimit extends GuardCase {
  readonly what: string
  readonly limit: number
}

const cpuLimits: readonly CpuLimit[] = [
  { name: 'ours-memory', load: 'oneToken', what: 'memory, one token', limit: 9 },
  { name: 'ours-memory', load: 'manyTokens', what: 'memory, 10,000 tokens', limit: 15 },
  { name: 'ours-sqlite', load: 'manyTokens', what: 'SQLite, 10,000 tokens', limit: 25 },
]

const toCpuGoals = (all: AllGuardFigures): readonly Goal[] =>
  cpuLimits
    .filter(({ name }) => all.has(name))
    .map(({ what, limit, ...one }) => ({
      what: `CPU µs above bare Express: ${what}`,
      sign: '≤',
      limit,
      measured: readCpuAbove(all, one, 'express'),
    }))

const toPeerGoals = (all: AllGuardFigures): readonly Goal[] => {
  if (!all.has('ours-memory')) return []
  const [ours, theirs] = (['ours-memory', 'express-jwt'] as const).map((name) =>
    readCpuAbove(all, { name, load: 'oneToken' }, 'express'),
  )
  const what = 'CPU above bare Express, memory, one token, relative to express-jwt with a KeyObject'
  return [{ what, sign: '≤', limit: 0.5, measured: inPairs(ours ?? [], theirs ?? [], (one, other) => one / other) }]
}

const toPostgresGoals = (all: AllGuardFigures): readonly Goal[] => {
  if (!all.has('ours-postgres')) return []
  const ours: GuardCase = { name: 'ours-postgres', load: 'manyTokens' }
  const readP99 = (name: string): readonly number[] =>
    readRounds(all, { name, load: 'fixedRate' }, ({ latencyMs }) => latencyMs.p99)
  return [
    {
      what: 'throughput on PostgreSQL, 10,000 tokens, relative to bare Express',
      sign: '≥',
      limit: 0.6,
      measured: readThroughputOf(all, ours, 'express'),
    },
    ...toLookupGoals(all, ours),
    {
      what: 'p99 ms above bare Express, PostgreSQL, 1,000 requests per second',
      sign: '≤',
      limit: 3,
      measured: inPairs(readP99('ours-postgres'), readP99('express'), (one, other) => one - other),
    },
  ]
}

const toLookupGoals = (all: AllGuardFigures, ours: GuardCase): readonly Goal[] => {
  if (!all.has('express-jwt-knex')) return []
  const what = 'throughput on PostgreSQL, 10,000 tokens, relative to one knex lookup per request'
  return [{ what, sign: '≥', limit: 2.5, measured: readThroughputOf(all, ours, 'express-jwt-knex') }]
}
