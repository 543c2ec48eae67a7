import { withOpened } from '@jwt-auth/test-support'
import { type Comparison, chooseContenders, inPairs, median, type Setting, type Table, toText } from '../comparison.js'
import { guards } from '../contenders/guards.js'
import { checkServer } from '../load/check-server.js'
import { readCpuMs } from '../process-cpu.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld, type World } from '../world.js'

const connections = 50
const ratePerSecond = 1_000

/** Guards on Express, over HTTP, with 10,000 tokens in turn. */
export const guard: Comparison = {
  name: 'guard',
  summary: 'Guards',
  run: (setting) => {
    const tokens = setting.effort.isSmoke ? connections : 10_000
    return withOpened(makeWorld(tokens, ['SQLite', 'PostgreSQL', 'MariaDB', 'Redis']), async ({ world }) => {
      const names = Object.entries(guards).flatMap(([name, { store }]) =>
        store === undefined || world.stores[store] !== undefined ? name : [],
      )
      const chosen = chooseContenders(setting.effort, names, 'express')
      return [toTable(await takeTurns(chosen, (name) => measure(setting, name, world), setting.effort))]
    })
  },
}

/** The CPU time is that of the server's process, per request. */
type GuardFigures = Awaited<ReturnType<typeof measure>>

const measure = ({ start, effort: { seconds, isSmoke }, log }: Setting, name: string, world: World) =>
  withOpened(start(), ({ call: load }) =>
    withOpened(start(), async ({ call: server, processId }) => {
      const url = await server.openServer(name, world)
      const contender = guards[name]
      if (contender !== undefined) await checkServer(url, contender, world)
      const loop = { url, tokens: world.tokens, connections, seconds }
      // The warm-up has a number of requests, not a duration. Even on a busy machine, every token has
      // then been sent, and the code is compiled.
      const whole = { ...loop, amount: world.tokens.length }
      await load.runClosedLoop(whole)
      const before = readCpuMs([processId])
      const { requests, seconds: taken } = await load.runClosedLoop(isSmoke ? whole : loop)
      const cpuMicroseconds = ((readCpuMs([processId]) - before) * 1_000) / requests
      const { p99Ms } = await load.runFixedRate({ ...loop, urls: [url], ratePerSecond })
      await server.startProfile()
      await load.runClosedLoop(whole)
      const ownShare = await server.endProfile()
      log(`${name} ${Math.round(cpuMicroseconds)} µs`)
      return { requestsPerSecond: requests / taken, cpuMicroseconds, p99Ms, ownShare }
    }),
  )

const toTable = (measured: ReadonlyMap<string, readonly GuardFigures[]>): Table => {
  const express = measured.get('express') ?? []
  return {
    caption: `${connections} connections send 10,000 tokens in turn. p99 is measured at ${ratePerSecond} requests per second. The last column is from a profile, of the code of this repository: jwt-auth and the route.`,
    head: ['', 'checks', 'requests per second', 'relative to Express', 'CPU µs above Express', 'p99 ms', '% of CPU'],
    rows: [...measured]
      .toSorted(([, one], [, other]) => median(other.map(readThroughput)) - median(one.map(readThroughput)))
      .map(([name, rounds]) => [
        guards[name]?.title ?? '',
        guards[name]?.checks ?? '',
        toText(rounds.map(readThroughput)),
        toText(inPairs(rounds.map(readThroughput), express.map(readThroughput), (one, other) => one / other)),
        toText(inPairs(rounds.map(readCpu), express.map(readCpu), (one, other) => one - other)),
        toText(rounds.map(({ p99Ms }) => p99Ms)),
        toText(rounds.map(({ ownShare }) => 100 * ownShare)),
      ]),
  }
}

const readThroughput = ({ requestsPerSecond }: GuardFigures): number => requestsPerSecond
const readCpu = ({ cpuMicroseconds }: GuardFigures): number => cpuMicroseconds
