import type { ServerFigures } from '../measure/measure-servers.js'
import { withSpread } from '../report/figures.js'
import type { Table } from '../report/table.js'
import {
  type AllGuardFigures,
  type GuardCase,
  type GuardFigures,
  readCpuAbove,
  readRounds,
  readThroughputOf,
} from './guard-figures.js'

/** Returns the figures of guards as tables, one for each load. */
export const toGuardTables = (all: AllGuardFigures): readonly Table[] => [
  toClosedTable(all, 'oneToken', 'One token, closed loop:'),
  toClosedTable(all, 'manyTokens', '10,000 tokens in turn, closed loop:'),
  toRateTable(all),
]

const toClosedTable = (all: AllGuardFigures, load: GuardCase['load'], caption: string): Table => ({
  caption,
  head: [
    '',
    'checks',
    'CPU µs per request',
    'CPU µs above bare framework',
    'requests per second',
    'relative to bare Express',
  ],
  rows: [...all].map(([name, figures]) => {
    const { title, checks, bare = '' } = serverOf(figures)
    const isAboveAnother = bare !== name && all.has(bare)
    return [
      title,
      checks,
      withSpread(readRounds(all, { name, load }, ({ cpuMicroseconds }) => cpuMicroseconds)),
      isAboveAnother ? withSpread(readCpuAbove(all, { name, load }, bare)) : '',
      withSpread(readRounds(all, { name, load }, ({ requestsPerSecond }) => requestsPerSecond)),
      withSpread(readThroughputOf(all, { name, load }, 'express')),
    ]
  }),
})

const rateColumns: Readonly<Record<string, (figures: ServerFigures) => number>> = {
  'p50 ms': ({ latencyMs }) => latencyMs.p50,
  'p99 ms': ({ latencyMs }) => latencyMs.p99,
  'max ms': ({ latencyMs }) => latencyMs.max,
  'CPU µs per request': ({ cpuMicroseconds }) => cpuMicroseconds,
  'no response': ({ statuses }) => statuses[0] ?? 0,
}

const toRateTable = (all: AllGuardFigures): Table => ({
  caption: '1,000 requests per second, each with a different token:',
  head: ['', ...Object.keys(rateColumns)],
  rows: [...all].map(([name, figures]) => [
    serverOf(figures).title,
    ...Object.values(rateColumns).map((read) => withSpread(readRounds(all, { name, load: 'fixedRate' }, read))),
  ]),
})

const serverOf = ([first]: readonly GuardFigures[]): GuardFigures['server'] => {
  if (first === undefined) throw new Error('A contender was not measured.')
  return first.server
}
