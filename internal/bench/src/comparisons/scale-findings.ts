import type { Findings } from '../comparison.js'
import { inPairs } from '../measure/statistics.js'
import type { Measured } from '../measure/take-turns.js'
import { toText, withSpread } from '../report/figures.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'
import type { RoundTimes } from '../scale/measure-store.js'
import type { SizedStore } from '../scale/sized-store.js'

type AllTimes = Measured<SizedStore, RoundTimes>

/** Turns the times of stores into tables, one for each kind of store, and goals. */
export const toScaleFindings = (measured: AllTimes): Findings => {
  const names = [...new Set([...measured.keys()].map(({ name }) => name))]
  const groups = names.map((name) => new Map([...measured].filter(([store]) => store.name === name)))
  return { tables: groups.flatMap((group) => [toTimeTable(group), toSizeTable(group)]), goals: groups.flatMap(toGoals) }
}

const timesOf = (rounds: readonly RoundTimes[], operation: string): readonly number[] =>
  rounds.map((times) => times[operation] ?? Number.NaN)

const operationsOf = (group: AllTimes): readonly string[] => Object.keys([...group.values()][0]?.[0] ?? {})

/** Times in the largest store as multiples of those in the smallest, round by round. */
const growth = (group: AllTimes, operation: string): readonly number[] => {
  const all = [...group.values()]
  return inPairs(timesOf(all.at(-1) ?? [], operation), timesOf(all[0] ?? [], operation), (most, least) => most / least)
}

const nameOf = (group: AllTimes): string => [...group.keys()][0]?.name ?? ''

const toTimeTable = (group: AllTimes): Table => ({
  caption: `${nameOf(group)}, µs:`,
  head: ['', ...[...group.keys()].map(({ size }) => size.toLocaleString('en')), 'largest / smallest'],
  rows: operationsOf(group).map((operation) => [
    operation,
    ...[...group.values()].map((rounds) => withSpread(timesOf(rounds, operation))),
    withSpread(growth(group, operation)),
  ]),
})

const toSizeTable = (group: AllTimes): Table => ({
  caption: `${nameOf(group)}, sizes:`,
  head: ['sessions', 'table MiB', 'indexes MiB', 'bytes per session', 'seconds to fill'],
  rows: [...group.keys()].map(({ size, bytes, seedSeconds }) => [
    size.toLocaleString('en'),
    toText(bytes.table / 2 ** 20),
    bytes.indexes === undefined ? 'in the table' : toText(bytes.indexes / 2 ** 20),
    toText((bytes.table + (bytes.indexes ?? 0)) / size),
    toText(seedSeconds),
  ]),
})

const limits: Readonly<Record<string, number>> = { lookup: 1.3, rotate: 1.3, 'purge batch': 1.5 }

const toGoals = (group: AllTimes): readonly Goal[] =>
  Object.entries(limits).map(([operation, limit]) => ({
    what: `${operation} on ${nameOf(group)}, largest store relative to the smallest`,
    sign: '≤',
    limit,
    measured: growth(group, operation),
  }))
