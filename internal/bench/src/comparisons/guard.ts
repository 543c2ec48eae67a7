import { openAll, withOpened } from '@jwt-auth/test-support'
import { type Comparison, chooseContenders, inPairs, median, type Setting, type Table, toText } from '../comparison.js'
import { guards } from '../contenders/guards.js'
import { checkServer } from '../load/check-server.js'
import { readCpuMs } from '../process-cpu.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld, type World } from '../world.js'

const connections = 50
const shareOfSaturation = 0.6

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
      const measured = await takeTurns(chosen, (name) => measure(setting, name, world), setting.effort)
      const saturationOf = (name: string) => median((measured.get(name) ?? []).map(readThroughput))
      const slowest = Math.min(...chosen.filter((name) => /^(ours-|express$)/.test(name)).map(saturationOf))
      const ratePerSecond = Math.ceil((shareOfSaturation * slowest) / 100) * 100
      const measureLatency = (name: string) =>
        withOpened(openServer(setting, name, world), async ({ load, loop }) => {
          const { p50Ms, p99Ms } = await load.runFixedRate({ ...loop, urls: [loop.url], ratePerSecond })
          setting.log(`${name} p99 ${p99Ms} ms`)
          return { p50Ms, p99Ms }
        })
      const compared = chosen.filter((name) => saturationOf(name) >= slowest)
      const latencies = await takeTurns(compared, measureLatency, setting.effort)
      return [toTable(measured), toLatencyTable(latencies, ratePerSecond)]
    })
  },
}

/** The CPU time is that of the server's process, per request. */
type GuardFigures = Awaited<ReturnType<typeof measure>>

const measure = (setting: Setting, name: string, world: World) =>
  withOpened(openServer(setting, name, world), async ({ load, server, loop, whole }) => {
    const before = readCpuMs([server.processId])
    const { requests, seconds } = await load.runClosedLoop(setting.effort.isSmoke ? whole : loop)
    const cpuMicroseconds = ((readCpuMs([server.processId]) - before) * 1_000) / requests
    await server.call.startProfile()
    await load.runClosedLoop(whole)
    const ownShare = await server.call.endProfile()
    setting.log(`${name} ${Math.round(cpuMicroseconds)} µs`)
    return { requestsPerSecond: requests / seconds, cpuMicroseconds, ownShare }
  })

/** Opens the server of a contender, checks it and warms it up. */
const openServer = ({ start, effort: { seconds } }: Setting, name: string, world: World) =>
  openAll(async (keep) => {
    const [{ call: load, close }, server] = [start(), start()]
    keep(() => Promise.all([close(), server.close()]))
    const url = await server.call.openServer(name, world)
    const contender = guards[name]
    if (contender !== undefined) await checkServer(url, contender, world)
    const loop = { url, tokens: world.tokens, connections, seconds }
    // The warm-up has a number of requests, not a duration. Even on a busy machine, every token has
    // then been sent, and the code is compiled.
    const whole = { ...loop, amount: world.tokens.length }
    await load.runClosedLoop(whole)
    return { load, server, loop, whole }
  })

const toTable = (measured: ReadonlyMap<string, readonly GuardFigures[]>): Table => {
  const express = measured.get('express') ?? []
  return {
    caption: `${connections} connections send 10,000 tokens in turn. The last column is from a profile: jwt-auth and the route, with the functions of Node that they call.`,
    head: ['', 'checks', 'requests per second', 'relative to Express', 'CPU µs above Express', '% of CPU'],
    rows: [...measured]
      .toSorted(([, one], [, other]) => median(other.map(readThroughput)) - median(one.map(readThroughput)))
      .map(([name, rounds]) => [
        guards[name]?.title ?? '',
        guards[name]?.checks ?? '',
        toText(rounds.map(readThroughput)),
        toText(inPairs(rounds.map(readThroughput), express.map(readThroughput), (one, other) => one / other)),
        toText(inPairs(rounds.map(readCpu), express.map(readCpu), (one, other) => one - other)),
        toText(rounds.map(({ ownShare }) => 100 * ownShare)),
      ]),
  }
}

const readThroughput = ({ requestsPerSecond }: GuardFigures): number => requestsPerSecond
const readCpu = ({ cpuMicroseconds }: GuardFigures): number => cpuMicroseconds

type Latencies = ReadonlyMap<string, readonly { readonly p50Ms: number; readonly p99Ms: number }[]>

const toLatencyTable = (measured: Latencies, ratePerSecond: number): Table => ({
  caption: `${ratePerSecond} requests per second to each contender that can serve more: ${100 * shareOfSaturation} % of what the slowest store of jwt-auth can serve.`,
  head: ['', 'p50 ms', 'p50 / Express', 'p99 ms', 'p99 / Express'],
  rows: [...measured].map(([name, rounds]) => [
    guards[name]?.title ?? '',
    ...(['p50Ms', 'p99Ms'] as const).flatMap((figure) => {
      const [own, express] = [rounds, measured.get('express') ?? []].map((all) => all.map((round) => round[figure]))
      return [toText(own ?? []), toText(inPairs(own ?? [], express ?? [], (one, other) => one / other))]
    }),
  ]),
})
