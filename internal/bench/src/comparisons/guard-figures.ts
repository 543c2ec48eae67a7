import type { ServerFigures } from '../measure/measure-servers.js'
import { inPairs } from '../measure/statistics.js'
import type { ListeningServer } from '../processes/server.js'

/** The figures of a guard in one round. */
export interface GuardFigures {
  readonly server: ListeningServer
  /** All connections send one token. */
  readonly oneToken: ServerFigures
  /** The connections send all tokens in turn. */
  readonly manyTokens: ServerFigures
  /** All tokens in turn, at a fixed rate. */
  readonly fixedRate: ServerFigures
}

/** The figures of every guard, by its name. */
export type AllGuardFigures = ReadonlyMap<string, readonly GuardFigures[]>

/** One guard under one load. */
export interface GuardCase {
  readonly name: string
  readonly load: 'oneToken' | 'manyTokens' | 'fixedRate'
}

/** Returns one figure of a guard for each round. */
export const readRounds = (
  all: AllGuardFigures,
  { name, load }: GuardCase,
  read: (figures: ServerFigures) => number,
): readonly number[] => (all.get(name) ?? []).map((figures) => read(figures[load]))

/** Returns the CPU time per request in microseconds, minus that of another guard in the same round. */
export const readCpuAbove = (all: AllGuardFigures, { name, load }: GuardCase, bare: string): readonly number[] => {
  const readCpu = (one: string): readonly number[] =>
    readRounds(all, { name: one, load }, ({ cpuMicroseconds }) => cpuMicroseconds)
  return inPairs(readCpu(name), readCpu(bare), (one, other) => one - other)
}

/** Returns the requests per second, divided by those of another guard in the same round. */
export const readThroughputOf = (all: AllGuardFigures, { name, load }: GuardCase, other: string): readonly number[] => {
  const readThroughput = (one: string): readonly number[] =>
    readRounds(all, { name: one, load }, ({ requestsPerSecond }) => requestsPerSecond)
  return inPairs(readThroughput(name), readThroughput(other), (one, another) => one / another)
}
