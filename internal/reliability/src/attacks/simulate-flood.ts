import { createTestClock, type TestClock } from '@jwt-auth/test-support/test-clock'
import { createSimulatedLogins, type Login, type QueueKind, sleep, type TryLogin } from './simulated-logins.js'

/** Sends logins for as long as `hasEnded` does not return true. */
export type Flood = (tryLogin: TryLogin, time: TestClock, hasEnded: () => boolean) => Promise<void>

/** A flood and what came before it. */
export interface SimulatedFlood {
  readonly flood: Flood
  /** Successful logins of the attacker before the flood, which make pairs known. @default none */
  readonly loginsBefore?: readonly Login[]
}

/** What a flood of a minute did to the logins of others. */
export interface FloodResult {
  /** Logins of the owner, from the network of the day before. */
  readonly owner: Outcomes
  /** Logins of others, each with its own account, from a new network. They respect `Retry-After`. */
  readonly newcomers: Outcomes
}

/** How logins of one kind ended. */
export interface Outcomes {
  readonly attempts: number
  /** How long each successful login took, in milliseconds, retries included; sorted. */
  readonly tookMs: readonly number[]
}

const start = Date.UTC(2026, 0, 1)
const floodMs = 60_000
/** The floods have filled the queue by then. */
const settledMs = 6_000
// Primes, so that logins arrive at all phases of a hash.
const ownerEveryMs = 1_009
const newcomerEveryMs = 3_001

/** Simulates a minute. The owner does not retry. */
export const simulateFlood = async (
  { flood, loginsBefore = [] }: SimulatedFlood,
  kind: QueueKind,
): Promise<FloodResult> => {
  const time = createTestClock(start)
  const tryLogin = createSimulatedLogins(time, kind)
  const owner: Login = { username: 'owner', address: '192.0.2.1', isRightPassword: true }
  for (const login of [owner, ...loginsBefore]) {
    const outcome = tryLogin(login)
    await time.runFor(1_000)
    if ((await outcome) !== 'in') throw new Error(`${login.username} did not log in before the flood.`)
  }

  const startedAt = time.now()
  void flood(tryLogin, time, () => time.now() >= startedAt + floodMs)
  const took: Readonly<Record<'owner' | 'newcomers', number[]>> = { owner: [], newcomers: [] }

  const logIn = async (login: Login, { retries, into }: { retries: boolean; into: number[] }): Promise<void> => {
    const startedAt = time.now()
    for (;;) {
      const outcome = await tryLogin(login)
      if (outcome === 'in') into.push(time.now() - startedAt)
      if (outcome === 'in' || !retries) return
      await sleep(time, outcome.retryAfterMs)
    }
  }

  const owners = everyMs(time, ownerEveryMs, startedAt, () => logIn(owner, { retries: false, into: took.owner }))
  const newcomers = everyMs(time, newcomerEveryMs, startedAt, (number) => {
    const login = { username: `newcomer-${number}`, address: `198.51.100.${number}`, isRightPassword: true }
    return logIn(login, { retries: true, into: took.newcomers })
  })
  await time.runFor(floodMs)
  return { owner: toOutcomes(owners(), took.owner), newcomers: toOutcomes(newcomers(), took.newcomers) }
}

/**
 * Calls once per period while the flood is at its height. Omits the last ten seconds: the simulation would end before a login of
 * that time could wait for ten seconds.
 */
const everyMs = (
  time: TestClock,
  periodMs: number,
  startedAt: number,
  call: (number: number) => Promise<void>,
): (() => number) => {
  let calls = 0
  for (let atMs = settledMs; atMs <= floodMs - 10_000; atMs += periodMs) {
    time.startTimer(startedAt + atMs - time.now(), () => {
      calls += 1
      void call(calls)
    })
  }
  return () => calls
}

const toOutcomes = (attempts: number, tookMs: readonly number[]): Outcomes => ({
  attempts,
  tookMs: tookMs.toSorted((one, other) => one - other),
})
