import type { Findings } from '../comparison.js'
import type { ServerFigures } from '../measure/measure-servers.js'
import { inPairs } from '../measure/statistics.js'
import type { ListeningServer } from '../processes/server.js'
import { withSpread } from '../report/figures.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'

/** What one turn of a guard measures. */
export interface GuardFigures {
  readonly server: ListeningServer
  /** One token for all connections. */
  readonly oneToken: ServerFigures
  /** As many tokens as there are, in turn. */
  readonly manyTokens: ServerFigures
  /** Those again, at a fixed rate. */
  readonly fixedRate: ServerFigures
}

/** The figures of every contender, by its file's name. */
type AllFigures = ReadonlyMap<string, readonly GuardFigures[]>
type Kind = 'oneToken' | 'manyTokens' | 'fixedRate'

/** Turns the figures of guards into tables and goals. */
export const toGuardFindings = (all: AllFigures): Findings => ({
  tables: [
    toClosedTable(all, { kind: 'oneToken', caption: 'One token, closed loop:' }),
    toClosedTable(all, { kind: 'manyTokens', caption: '10,000 tokens in turn, closed loop:' }),
    toRateTable(all),
  ],
  goals: [...toCpuGoals(all), ...toPostgresGoals(all)],
})

const valuesOf = (all: AllFigures, name: string, read: (figures: GuardFigures) => number): readonly number[] =>
  (all.get(name) ?? []).map(read)

const ofKind =
  (kind: Kind, read: (figures: ServerFigures) => number) =>
  (figures: GuardFigures): number =>
    read(figures[kind])

const cpuOf = (figures: ServerFigures): number => figures.cpuMicroseconds
const throughputOf = (figures: ServerFigures): number => figures.requestsPerSecond
const minus = (a: number, b: number): number => a - b
const by = (a: number, b: number): number => a / b

const cpuAbove = (
  all: AllFigures,
  { name, bare, kind }: { readonly name: string; readonly bare: string; readonly kind: Kind },
): readonly number[] =>
  inPairs(valuesOf(all, name, ofKind(kind, cpuOf)), valuesOf(all, bare, ofKind(kind, cpuOf)), minus)

const toClosedTable = (
  all: AllFigures,
  { kind, caption }: { readonly kind: Kind; readonly caption: string },
): Table => ({
  caption,
  head: ['', 'looks at', 'CPU µs a request', 'above bare framework', 'requests a second', 'of bare Express'],
  rows: [...all].map(([name, figures]) => {
    const { title, checks, bare } = serverOf(figures)
    const throughput = valuesOf(all, name, ofKind(kind, throughputOf))
    return [
      title,
      checks,
      withSpread(valuesOf(all, name, ofKind(kind, cpuOf))),
      bare === undefined || bare === name || !all.has(bare) ? '' : withSpread(cpuAbove(all, { name, bare, kind })),
      withSpread(throughput),
      withSpread(inPairs(throughput, valuesOf(all, 'express', ofKind(kind, throughputOf)), by)),
    ]
  }),
})

const toRateTable = (all: AllFigures): Table => ({
  caption: '10,000 tokens in turn, 1,000 requests a second:',
  head: ['', 'p50 ms', 'p99 ms', 'longest ms', 'CPU µs a request', 'unanswered'],
  rows: [...all].map(([name, figures]) => {
    const read = (value: (figures: ServerFigures) => number): string =>
      withSpread(valuesOf(all, name, ofKind('fixedRate', value)))
    return [
      serverOf(figures).title,
      read(({ latencyMs }) => latencyMs.p50),
      read(({ latencyMs }) => latencyMs.p99),
      read(({ latencyMs }) => latencyMs.max),
      read(cpuOf),
      read(({ statuses }) => statuses[0] ?? 0),
    ]
  }),
})

const serverOf = ([first]: readonly GuardFigures[]): GuardFigures['server'] => {
  if (first === undefined) throw new Error('A contender was never measured.')
  return first.server
}

const cpuLimits: readonly (readonly [name: string, what: string, kind: Kind, limit: number])[] = [
  ['ours-memory', 'memory, one token', 'oneToken', 9],
  ['ours-memory', 'memory, 10,000 tokens', 'manyTokens', 15],
  ['ours-sqlite', 'SQLite, 10,000 tokens', 'manyTokens', 25],
]

const toCpuGoals = (all: AllFigures): readonly Goal[] => [
  ...cpuLimits
    .filter(([name]) => all.has(name))
    .map(
      ([name, what, kind, limit]): Goal => ({
        what: `CPU above bare Express in µs: ${what}`,
        sign: '≤',
        limit,
        measured: cpuAbove(all, { name, bare: 'express', kind }),
      }),
    ),
  ...toExpressJwtGoals(all),
]

const toExpressJwtGoals = (all: AllFigures): readonly Goal[] => {
  if (!all.has('ours-memory')) return []
  const ours = cpuAbove(all, { name: 'ours-memory', bare: 'express', kind: 'oneToken' })
  const theirs = cpuAbove(all, { name: 'express-jwt', bare: 'express', kind: 'oneToken' })
  const what = 'CPU above bare Express, memory, one token, as a part of that of express-jwt with a KeyObject'
  return [{ what, sign: '≤', limit: 0.5, measured: inPairs(ours, theirs, by) }]
}

const toPostgresGoals = (all: AllFigures): readonly Goal[] => {
  if (!all.has('ours-postgres')) return []
  const throughput = (name: string): readonly number[] => valuesOf(all, name, ofKind('manyTokens', throughputOf))
  const p99 = (name: string): readonly number[] =>
    valuesOf(
      all,
      name,
      ofKind('fixedRate', (rate) => rate.latencyMs.p99),
    )
  const ofExpress: Goal = {
    what: 'throughput on PostgreSQL, 10,000 tokens, as a part of that of bare Express',
    sign: '≥',
    limit: 0.6,
    measured: inPairs(throughput('ours-postgres'), throughput('express'), by),
  }
  const latency: Goal = {
    what: 'p99 on PostgreSQL at 1,000 requests a second above that of bare Express, in ms',
    sign: '≤',
    limit: 3,
    measured: inPairs(p99('ours-postgres'), p99('express'), minus),
  }
  if (!all.has('express-jwt-knex')) return [ofExpress, latency]
  const ofLookups: Goal = {
    what: 'throughput on PostgreSQL, 10,000 tokens, as a multiple of one knex lookup a request',
    sign: '≥',
    limit: 2.5,
    measured: inPairs(throughput('ours-postgres'), throughput('express-jwt-knex'), by),
  }
  return [ofExpress, ofLookups, latency]
}
