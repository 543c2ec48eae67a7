import { defaultConcurrency } from '@jwt-auth/core/internal/passwords/hashing-queue'
import type { Comparison, Setting } from '../comparison.js'
import type { FloodKind, LoginFloodResult, LoginTimes } from '../load/login-flood.js'
import { withLoad, withServer } from '../measure/measure-servers.js'
import { quantile } from '../measure/statistics.js'
import { type Measured, takeTurns } from '../measure/take-turns.js'
import type { ContenderFile } from '../processes/programs.js'
import { withSpread } from '../report/figures.js'
import type { Goal } from '../report/goal.js'
import type { Table } from '../report/table.js'
import { makeWorld } from '../world/make-world.js'
import { password } from '../world/sample-user.js'

/** One contender under one flood. */
interface Case {
  readonly contender: ContenderFile
  readonly kind: FloodKind
}

interface CaseFigures extends LoginFloodResult {
  readonly title: string
}

const bcryptCost = 12
const leastSeconds = 30
const patienceSeconds = 10

const titles: Readonly<Record<FloodKind, string>> = {
  'own-accounts': '(a) 12 accounts of the attacker, 120 connections, one address',
  'one-48': '(b) 20 guesses per second, new /64s of one /48',
  'many-networks': '(c) 20 guesses per second, 500 networks',
}

const kinds: readonly FloodKind[] = ['own-accounts', 'one-48', 'many-networks']

/** The logins of others during floods of logins. */
export const fairness: Comparison = {
  name: 'fairness',
  summary: 'logins of other users, while twelve accounts, one /48 or 500 networks flood an application with logins',
  method: `An application behind a proxy receives a flood of logins for at least ${leastSeconds} seconds. Flood (a): twelve accounts of one attacker log in with correct passwords from one address, over ten connections each. They retry 250 ms after a refusal. Flood (b): 20 wrong passwords arrive per second. Each is for a different account and comes from a new /64 of the same /48. Flood (c): the attempts of flood (b) come from 500 IPv4 addresses in turn. During each flood, one ordinary user (the owner of an account) logs in repeatedly from an address that they have used before, at intervals of 4.7 times the duration of one hash. The owner does not retry. At intervals of 14.3 times the duration of one hash, a user who has not logged in before (a newcomer) logs in from a new address. A refused newcomer waits as Retry-After says and tries again, for up to ${patienceSeconds} seconds. The bcrypt cost is ${bcryptCost}. The time of one hash is the elapsed time of the flood, multiplied by the number of hashes that run concurrently, and divided by the number of hashed passwords. The number of hashes that ended during a login includes the login's own hash. Other work on the machine does not change this number.`,
  run: async (setting) => {
    // Contenders without a queue cannot be fair.
    const ours = setting.programs.contendersOf('flood').filter(({ name }) => name === 'ours')
    const cases = ours.flatMap((contender) => kinds.map((kind): Case => ({ contender, kind })))
    const measured = await measureCases(setting, cases)
    return { tables: [toTable(measured)], goals: toGoals(measured) }
  },
}

const measureCases = async (
  { programs, effort, log }: Setting,
  cases: readonly Case[],
): Promise<Measured<Case, CaseFigures>> => {
  const { isSmoke, seconds } = effort
  const { world } = await makeWorld({ tokens: 1, bcryptCost: isSmoke ? 4 : bcryptCost })
  const measure = (load: Parameters<Parameters<typeof withLoad>[1]>[0], { contender, kind }: Case) =>
    withServer(programs, { contender, world, load }, async ({ server: { url, title } }): Promise<CaseFigures> => {
      const found = await load.call('loginFlood', {
        url,
        kind,
        password,
        seconds: isSmoke ? seconds : Math.max(leastSeconds, seconds),
        settleSeconds: isSmoke ? 0 : 6,
        patienceSeconds,
        warmUp: isSmoke ? 1 : 15,
        concurrency: defaultConcurrency(),
      })
      return { title, ...found }
    })

  return withLoad(programs, (load) =>
    takeTurns(
      cases,
      async (one, round) => {
        const figures = await measure(load, one)
        const { owner, ownerFailures, newcomers, hashMs } = figures
        const counts = [owner, newcomers].map(({ attempts, tookMs }) => `${tookMs.length} of ${attempts}`)
        log(
          `round ${round + 1}: ${one.contender.name}, ${one.kind}: hash ${Math.round(hashMs)} ms, owner ${counts[0]}${ownerFailures.length > 0 ? ` (failed with ${ownerFailures.join(', ')})` : ''}, p95 ${p95Of(figures).toFixed(2)} hashes, ${endedMeanwhile(figures).toFixed(1)} ended during a login, newcomers ${counts[1]}, longest ${longestOf(newcomers).toFixed(1)} s`,
        )
        return figures
      },
      effort,
    ),
  )
}

// If no login succeeded, the figure is infinite, and misses every goal.
const p95Of = ({ owner: { tookMs }, hashMs }: LoginFloodResult): number =>
  tookMs.length === 0 ? Number.POSITIVE_INFINITY : quantile(tookMs, 0.95) / hashMs

const endedMeanwhile = ({ owner: { hashes } }: LoginFloodResult): number =>
  hashes.length === 0 ? Number.POSITIVE_INFINITY : quantile(hashes, 0.95)

const longestOf = ({ attempts, tookMs }: LoginTimes): number =>
  tookMs.length < attempts ? Number.POSITIVE_INFINITY : Math.max(...tookMs) / 1_000

const percentOf = ({ attempts, tookMs }: LoginTimes): number => (tookMs.length / attempts) * 100

const toTable = (measured: Measured<Case, CaseFigures>): Table => ({
  caption: 'Logins of other users:',
  head: [
    '',
    'flood',
    'ms per hash',
    'owner: successful logins, %',
    'owner: p95, in hashes',
    'owner: p95, hashes that ended during the login',
    'newcomers: logged in within 10 s, %',
    'newcomers: longest login, s',
  ],
  rows: [...measured].map(([{ kind }, figures]) => [
    figures[0]?.title ?? '',
    titles[kind],
    withSpread(figures.map(({ hashMs }) => hashMs)),
    withSpread(figures.map(({ owner }) => percentOf(owner))),
    withSpread(figures.map(p95Of)),
    withSpread(figures.map(endedMeanwhile)),
    withSpread(figures.map(({ newcomers }) => percentOf(newcomers))),
    withSpread(figures.map(({ newcomers }) => longestOf(newcomers))),
  ]),
})

const toGoals = (measured: Measured<Case, CaseFigures>): readonly Goal[] =>
  [...measured].flatMap(([{ kind }, figures]): Goal[] => [
    {
      what: `owner: successful logins, %, ${titles[kind]}`,
      sign: '≥',
      limit: 100,
      measured: figures.map(({ owner }) => percentOf(owner)),
    },
    { what: `owner: p95, in hashes, ${titles[kind]}`, sign: '≤', limit: 3, measured: figures.map(p95Of) },
    ...(kind === 'many-networks'
      ? []
      : [
          {
            what: `newcomers: longest login, s, ${titles[kind]}`,
            sign: '≤' as const,
            limit: patienceSeconds,
            measured: figures.map(({ newcomers }) => longestOf(newcomers)),
          },
        ]),
  ])
