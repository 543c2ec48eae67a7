import type { Comparison, Effort, Setting } from '../comparison.js'
import type { Flood, FloodResult } from '../load/flood.js'
import { type Load, withLoad, withServer } from '../measure/measure-servers.js'
import { type Measured, takeTurns } from '../measure/take-turns.js'
import type { ContenderFile } from '../processes/programs.js'
import { withSpread } from '../report/figures.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'
import { makeWorld } from '../world/make-world.js'
import { password } from '../world/sample-user.js'
import { chooseContenders } from './choose-contenders.js'

/** One contender under one kind of flood. */
interface Case {
  readonly contender: ContenderFile
  readonly logins: Flood['logins']
}

interface CaseFigures extends FloodResult {
  readonly title: string
}

const bcryptCost = 12
const filesPerSecond = 100
const leastSeconds = 10
const warmUp = { files: 1_000, logins: 30 }

/** Other requests during floods of logins. */
export const flood: Comparison = {
  name: 'flood',
  summary: 'a route that reads a file, while 200 clients log in repeatedly or 200 logins arrive per second',
  method: `A server has a route that reads a small file. The load requests the file ${filesPerSecond} times per second for at least ${leastSeconds} seconds. Latency counts from when each request was due. If a request has no response one second after the load has ended, its latency is the time that it has waited until then. Each server is measured with three loads of logins: none, 200 clients that log in repeatedly and obey Retry-After, and 200 logins per second. The bcrypt cost is ${bcryptCost}. Every login has its own user and its own address. Before the measurement, each server handles ${warmUp.files} file requests and ${warmUp.logins} logins, one after another.`,
  run: async (setting) => {
    const cases = chooseContenders(setting, 'flood', ['raw-bcrypt', 'ours']).flatMap((contender) =>
      toFloods(setting.effort).map((logins): Case => ({ contender, logins })),
    )
    const measured = await measureCases(setting, cases)
    return { tables: [toTable(measured)], goals: toGoals(measured) }
  },
}

const toFloods = ({ isSmoke }: Effort): readonly Flood['logins'][] => [
  { kind: 'none' },
  { kind: 'parallel', clients: isSmoke ? 8 : 200 },
  { kind: 'rate', perSecond: isSmoke ? 50 : 200 },
]

const measureCases = async (
  { programs, effort, log }: Setting,
  cases: readonly Case[],
): Promise<Measured<Case, CaseFigures>> => {
  const { world } = await makeWorld({ tokens: 1, bcryptCost: effort.isSmoke ? 4 : bcryptCost })
  const seconds = effort.isSmoke ? effort.seconds : Math.max(leastSeconds, effort.seconds)
  const measure = async (load: Load, { contender, logins }: Case): Promise<CaseFigures> =>
    withServer(programs, { contender, world, load }, async ({ server: { url, title } }) => {
      await requireRefusal(url, title)
      const found = await load.call('flood', {
        url,
        logins,
        filesPerSecond,
        seconds,
        password,
        warmUp: effort.isSmoke ? { files: 2, logins: 1 } : warmUp,
      })
      return { title, ...found }
    })

  return withLoad(programs, (load) =>
    takeTurns(
      cases,
      async (one, round) => {
        const figures = await measure(load, one)
        requireSuccess(figures)
        const p99 = Math.round(figures.files.latencyMs.p99)
        log(`round ${round + 1}: ${one.contender.name}, ${one.logins.kind}: p99 ${p99} ms`)
        return figures
      },
      effort,
    ),
  )
}

/** Throws when a contender accepts a wrong password, because it then does not hash as it should. */
const requireRefusal = async (url: string, title: string): Promise<void> => {
  const { ok } = await fetch(new URL('/jwt-auth/v1/token', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.255.255.255' },
    body: JSON.stringify({ username: 'user-1', password: `${password}!` }),
  })
  if (ok) throw new Error(`${title} accepts a wrong password.`)
}

// A login without a response in time is a valid result. A right password that is refused is an error.
const requireSuccess = ({ title, logins }: CaseFigures): void => {
  const unexpected = Object.keys(logins?.statuses ?? {}).filter((status) => !['0', '200', '503'].includes(status))
  if (unexpected.length > 0) throw new Error(`${title} responded to right passwords with ${unexpected.join(', ')}.`)
}

const describeLogins = (logins: Flood['logins']): string => {
  switch (logins.kind) {
    case 'none':
      return 'none'
    case 'parallel':
      return `${logins.clients} clients`
    case 'rate':
      return `${logins.perSecond} per second`
  }
}

const p99Of = ({ files }: CaseFigures): number => files.latencyMs.p99

const countOf =
  (status: number) =>
  (figures: CaseFigures): number =>
    figures.logins?.statuses[status] ?? 0

const toTable = (measured: Measured<Case, CaseFigures>): Table => ({
  caption: 'The route that reads a file:',
  head: ['', 'logins', 'p50 ms', 'p99 ms', 'max ms', 'logged in', 'got 503', 'no response'],
  rows: [...measured].map(([{ logins }, figures]) => [
    figures[0]?.title ?? '',
    describeLogins(logins),
    withSpread(figures.map(({ files }) => files.latencyMs.p50)),
    withSpread(figures.map(p99Of)),
    withSpread(figures.map(({ files }) => files.latencyMs.max)),
    ...(logins.kind === 'none'
      ? ['', '', '']
      : [200, 503, 0].map((status) => withSpread(figures.map(countOf(status))))),
  ]),
})

const toGoals = (measured: Measured<Case, CaseFigures>): readonly Goal[] =>
  [...measured]
    .filter(([{ contender, logins }]) => contender.name === 'ours' && logins.kind !== 'none')
    .map(([{ logins }, figures]) => ({
      what: `p99 ms of the route that reads a file, ${describeLogins(logins)}`,
      sign: '≤',
      limit: 50,
      measured: figures.map(p99Of),
    }))
