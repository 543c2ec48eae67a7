import { type RemoteProgram, withOpened } from '@jwt-auth/test-support'
import type { Comparison, Effort, Setting } from '../comparison.js'
import { guards } from '../contenders/guards.js'
import { type LoadResult, requireStatuses } from '../load/load-result.js'
import { inPairs, median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import type { Load } from '../processes/load.js'
import type { ListeningServer, Server } from '../processes/server.js'
import { type Table, withSpread } from '../table.js'
import { makeWorld } from '../world/make-world.js'
import type { StoreName, World } from '../world/world.js'
import { chooseContenders } from './compare-operations.js'

const connections = 50
const ratePerSecond = 1_000
const warmUpRequests = 10_000
const stores: readonly StoreName[] = ['SQLite', 'PostgreSQL', 'MariaDB', 'Redis']

/** Guards on Express, over HTTP, with 10,000 tokens in turn. */
export const guard: Comparison = {
  name: 'guard',
  summary: 'every guard on a small route: throughput, CPU above bare Express, latency at a fixed rate',
  run: (setting) =>
    withOpened(makeWorld({ tokens: setting.effort.isSmoke ? 60 : 10_000, stores }), async ({ world }) => {
      const names = Object.entries(guards).flatMap(([name, { store }]) =>
        store === undefined || world.databaseUrls[store] !== undefined ? name : [],
      )
      const measured = await measureAll(setting, chooseContenders(setting.effort, names, 'express'), world)
      return [toTable(measured)]
    }),
}

/** The results of a load, and its cost for the server. */
interface ServerFigures extends LoadResult {
  /** The CPU time of the server's process per request, in microseconds. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
}

/** The figures of a guard in one round. */
interface GuardFigures {
  readonly server: ListeningServer
  /** Each connection sends its next request after a response. */
  readonly closedLoop: ServerFigures
  /**
   * The requests do not wait for earlier responses. Latency counts from when each request was due.
   */
  readonly fixedRate: ServerFigures
}

const measureAll = ({ programs, effort, log }: Setting, names: readonly string[], world: World) =>
  withOpened(programs.startLoad(), ({ call: load }) => {
    const measureOne = (name: string, round: number): Promise<GuardFigures> =>
      withOpened(programs.startServer(), async ({ call: server }) => {
        const figures = await measureGuard(await server.open(name, world), { load, server, effort })
        log(`round ${round + 1}: ${name} ${Math.round(figures.closedLoop.cpuMicroseconds)} µs`)
        return figures
      })
    return takeTurns(names, measureOne, effort)
  })

interface Calls {
  readonly load: RemoteProgram<Load>['call']
  readonly server: RemoteProgram<Server>['call']
  readonly effort: Effort
}

const measureGuard = async (
  listening: ListeningServer,
  { load, server, effort: { seconds, isSmoke } }: Calls,
): Promise<GuardFigures> => {
  await load.check(listening)
  const measure = async (run: () => Promise<LoadResult>, allowed: readonly string[]): Promise<ServerFigures> => {
    const before = await server.readCpu()
    const result = await run()
    const cpuMicroseconds = ((await server.readCpu()) - before) / result.requests
    requireStatuses(listening.title, result, allowed)
    return { ...result, cpuMicroseconds, requestsPerSecond: result.requests / result.seconds }
  }
  const { url, tokens } = listening
  const loop = { url, tokens, connections, seconds }
  // The warm-up has a number of requests, not a duration. Even on a busy machine, every token has
  // then been sent, and the code is compiled.
  const amount = isSmoke ? connections : Math.max(tokens.length, warmUpRequests)
  await load.closedLoop({ ...loop, amount })
  return {
    server: listening,
    closedLoop: await measure(() => load.closedLoop(isSmoke ? { ...loop, amount } : loop), ['200']),
    // A missing response is the result of a server that cannot keep up.
    fixedRate: await measure(() => load.fixedRate({ ...loop, ratePerSecond }), ['200', '0']),
  }
}

const toTable = (measured: ReadonlyMap<string, readonly GuardFigures[]>): Table => {
  const express = measured.get('express') ?? []
  return {
    caption: `${connections} connections; the last two columns at ${ratePerSecond.toLocaleString('en')} requests per second:`,
    head: ['', 'checks', 'requests per second', 'relative to Express', 'CPU µs above Express', 'p50 ms', 'p99 ms'],
    rows: [...measured.values()]
      .toSorted((one, other) => median(other.map(readThroughput)) - median(one.map(readThroughput)))
      .map((rounds) => [
        rounds[0]?.server.title ?? '',
        rounds[0]?.server.checks ?? '',
        withSpread(rounds.map(readThroughput)),
        withSpread(inPairs(rounds.map(readThroughput), express.map(readThroughput), (one, other) => one / other)),
        withSpread(inPairs(rounds.map(readCpu), express.map(readCpu), (one, other) => one - other)),
        withSpread(rounds.map(({ fixedRate }) => fixedRate.latencyMs.p50)),
        withSpread(rounds.map(({ fixedRate }) => fixedRate.latencyMs.p99)),
      ]),
  }
}

const readThroughput = ({ closedLoop }: GuardFigures): number => closedLoop.requestsPerSecond
const readCpu = ({ closedLoop }: GuardFigures): number => closedLoop.cpuMicroseconds
