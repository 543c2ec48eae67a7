import type { ServerFigures } from '../measure/measure-servers.js'
import { inPairs } from '../measure/statistics.js'
import type { ListeningServer } from '../processes/server.js'

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

/** The figures of every guard, by its file's name. */
export type AllGuardFigures = ReadonlyMap<string, readonly GuardFigures[]>

/** One guard under one load. */
export interface GuardCase {
  readonly name: string
  readonly load: 'oneToken' | 'manyTokens' | 'fixedRate'
}

/** One figure of a guard, for each round. */
export const readRounds = (
  all: AllGuardFigures,
  { name, load }: GuardCase,
  read: (figures: ServerFigures) => number,
): readonly number[] => (all.get(name) ?? []).map((figures) => read(figures[load]))

/** CPU time of a request in microseconds, less that of another guard in the same round. */
export const readCpuAbove = (all: AllGuardFigures, { name, load }: GuardCase, bare: string): readonly number[] => {
  const readCpu = (one: string): readonly number[] =>
    readRounds(all, { name: one, load }, ({ cpuMicroseconds }) => cpuMicroseconds)
  return inPairs(readCpu(name), readCpu(bare), (one, other) => one - other)
}

/** Requests in a second, as a part of those of another guard in the same round. */
export const readThroughputOf = (all: AllGuardFigures, { name, load }: GuardCase, other: string): readonly number[] => {
  const readThroughput = (one: string): readonly number[] =>
    readRounds(all, { name: one, load }, ({ requestsPerSecond }) => requestsPerSecond)
  return inPairs(readThroughput(name), readThroughput(other), (one, another) => one / another)
}
