import { floods } from './floods.js'
import { toMarkdownTable } from './markdown-table.js'
import { type FloodResult, type Outcomes, simulateFlood } from './simulate-flood.js'
import { hashMs, type QueueKind } from './simulated-logins.js'

const kinds: readonly QueueKind[] = ['jwt-auth', 'order of arrival']

const headings = ['owner', 'p95', 'newcomers', 'slowest']

/** A flood, the queue that it met, and its result. */
export interface SimulatedRow {
  readonly flood: string
  readonly kind: QueueKind
  readonly result: FloodResult
}

/** Simulates every flood against every queue. */
export const simulateFloods = async (): Promise<readonly SimulatedRow[]> => {
  const rows: SimulatedRow[] = []
  for (const flood of floods) {
    for (const kind of kinds) rows.push({ flood: flood.name, kind, result: await simulateFlood(flood, kind) })
  }
  return rows
}

/** Writes the results of floods as a Markdown table with a row for each flood. */
export const toFloodTable = (rows: readonly SimulatedRow[]): string =>
  toMarkdownTable(
    [
      'Flood',
      ...kinds.flatMap((kind) => headings.map((heading, index) => (index === 0 ? `${kind}: ${heading}` : heading))),
    ],
    ['---', ...kinds.flatMap(() => headings.map(() => '--:'))],
    floods.map(({ name }) => [name, ...rows.flatMap(({ flood, result }) => (flood === name ? toCells(result) : []))]),
  )

const toCells = ({ owner, newcomers }: FloodResult): string[] => [
  toShare(owner.tookMs.length, owner),
  owner.tookMs.length === 0 ? '–' : (p95Of(owner) / hashMs).toFixed(2),
  toShare(inTime(newcomers), newcomers),
  toLongest(newcomers),
]

/** Returns the time that 95 of 100 successful logins took at most. */
export const p95Of = ({ tookMs }: Outcomes): number => tookMs[Math.ceil(tookMs.length * 0.95) - 1] ?? 0

/** Returns how many logins succeeded within ten seconds. */
export const inTime = ({ tookMs }: Outcomes): number => tookMs.filter((took) => took <= 10_000).length

const toShare = (count: number, { attempts }: Outcomes): string => `${count} of ${attempts}`

// A login that has not succeeded by the end is slower than all others.
const toLongest = ({ attempts, tookMs }: Outcomes): string =>
  tookMs.length < attempts ? 'some failed' : `${((tookMs.at(-1) ?? 0) / 1_000).toFixed(1)} s`
