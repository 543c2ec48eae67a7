import { openAll, withOpened } from '@jwt-auth/test-support'
import { type Comparison, inPairs, type Setting, type Table, toText } from '../comparison.js'
import type { Flood } from '../load/flood.js'
import { takeTurns } from '../take-turns.js'
import { makeWorld, type World } from '../world.js'

const ratePerSecond = 100

/** A server, and what other connections send to it. */
interface Case {
  readonly server: keyof typeof captions
  readonly title: string
  readonly flood?: Pick<Flood, 'kind' | 'connections'>
}

const captions = {
  service: `${ratePerSecond} guarded requests per second on PostgreSQL, while other connections send without a pause. bcrypt has cost 10. The last column counts the responses to these connections, in the last round.`,
  'bare service':
    'The same with a bare Express without a guard, a store and limits, whose logins hash in as many threads, with the same queue.',
}

const logins: Case = {
  server: 'service',
  title: '200 connections that log in',
  flood: { kind: 'logins', connections: 200 },
}

const cases: readonly Case[] = [
  { server: 'service', title: 'nothing' },
  logins,
  {
    server: 'service',
    title: '1,000 connections that log in, of 2,000',
    flood: { kind: 'logins', connections: 1_000 },
  },
  {
    server: 'service',
    title: '500 connections with unknown refresh tokens',
    flood: { kind: 'unknown refresh tokens', connections: 500 },
  },
  { server: 'bare service', title: 'nothing' },
  { ...logins, server: 'bare service' },
]

/** Guarded requests while many connections send what others would have to wait for. */
export const overload: Comparison = {
  name: 'overload',
  summary: 'Overload',
  run: (setting) =>
    withOpened(makeWorld(100, ['PostgreSQL']), async ({ world }) => {
      if (world.stores.PostgreSQL === undefined) return []
      const measured = await takeTurns(cases, (one) => measure(setting, one, world), setting.effort)
      return [toTable(measured, 'service'), toTable(measured, 'bare service')]
    }),
}

interface OverloadFigures {
  readonly p50Ms: number
  readonly p99Ms: number
  /** How many responses of the flood have each status. */
  readonly responses: Readonly<Record<string, number>>
}

const measure = (
  { start, effort: { seconds, isSmoke }, log }: Setting,
  { server: name, title, flood }: Case,
  world: World,
): Promise<OverloadFigures> => {
  const opening = openAll(async (keep) => {
    const [server, load, others] = [start(), start(), start()]
    keep(() => Promise.all([server, load, others].map(({ close }) => close())))
    return { server, load, others }
  })
  return withOpened(opening, async ({ server, load, others }) => {
    const url = await server.call.openServer(name, world)
    const { tokens } = world
    await load.call.runClosedLoop({ url, tokens, connections: 10, seconds: 0, amount: 10 * tokens.length })
    // The guarded requests have the other half of 2,000 connections.
    const [connections, sending] = isSmoke ? [10, { connections: 10, seconds: 1 }] : [1_000, { seconds: seconds + 2 }]
    const [latencies, responses = {}] = await Promise.all([
      load.call.runFixedRate({ urls: [url], tokens, connections, ratePerSecond, seconds }),
      flood && others.call.runFlood({ ...flood, url, ...sending }),
    ])
    const figures = { ...latencies, responses }
    log(`${name}, ${title}: ${JSON.stringify(figures)}`)
    return figures
  })
}

const toTable = (measured: ReadonlyMap<Case, readonly OverloadFigures[]>, server: Case['server']): Table => {
  const own = [...measured].filter(([one]) => one.server === server)
  const idle = own.find(([{ flood }]) => flood === undefined)?.[1] ?? []
  const toCells = (rounds: readonly OverloadFigures[], name: 'p50Ms' | 'p99Ms'): readonly string[] => {
    const figures = rounds.map((round) => round[name])
    const idleFigures = idle.map((round) => round[name])
    return [toText(figures), toText(inPairs(figures, idleFigures, (one, other) => one / other))]
  }
  const toCounts = (rounds: readonly OverloadFigures[]): string =>
    Object.entries(rounds.at(-1)?.responses ?? {})
      .map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
      .join(', ')
  return {
    caption: captions[server],
    head: ['the others send', 'p50 ms', 'p50 / alone', 'p99 ms', 'p99 / alone', 'responses'],
    rows: own.map(([{ title }, rounds]) => [
      title,
      ...toCells(rounds, 'p50Ms'),
      ...toCells(rounds, 'p99Ms'),
      toCounts(rounds),
    ]),
  }
}
