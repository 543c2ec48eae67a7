import { createHashingQueue, type HashingQueue, type PasswordHasher, passwordUsers } from '@jwt-auth/passwords'
import { toMarkdownTable } from '@jwt-auth/test-support'
import { createTestClock, type TestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { createSimulatedLogins, type Login, rightPassword, type TryLogin } from './simulated-logins.js'

/** Sends logins for as long as `hasEnded` does not return true. */
type Flood = (tryLogin: TryLogin, time: TestClock, hasEnded: () => boolean) => Promise<void>

/** A flood and what came before it. */
interface SimulatedFlood {
  readonly flood: Flood
  /** Successful logins of the attacker before the flood, which make pairs known. @default none */
  readonly loginsBefore?: readonly Login[]
}

/** The queue in which the hashes wait: the queue of the service, or a queue in the order of arrival. */
const queues = ['jwt-auth', 'order of arrival'] as const

/** What a flood of a minute did to the logins of others. */
export type FloodResult = Awaited<ReturnType<typeof simulateFlood>>

/** How logins of one kind ended. */
interface Outcomes {
  attempts: number
  /** How long each successful login took, in milliseconds, retries included; sorted. */
  readonly tookMs: number[]
}

/** The time of one hash at bcrypt's cost 12, on the machine of the tables. */
export const hashMs = 210

// An attacker ignores `Retry-After`.
const impatienceMs = 250
const guessEveryMs = 50

const sleep = (time: TestClock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => time.startTimer(milliseconds, resolve))

/** Repeats each of these logins again and again, each over one connection of its own. */
const repeat =
  (logins: readonly Login[]): Flood =>
  async (tryLogin, time, hasEnded) => {
    const connect = async (login: Login): Promise<void> => {
      while (!hasEnded()) {
        const outcome = await tryLogin(login)
        if (outcome !== 'in') await sleep(time, impatienceMs)
      }
    }
    await Promise.all(logins.map(connect))
  }

const loginsOf = (count: number, toLogin: (number: number) => Omit<Login, 'isRightPassword'>): readonly Login[] =>
  Array.from({ length: count }, (_, number) => ({ ...toLogin(number), isRightPassword: true }))

const fromOneAddress = (account: number) => ({ username: `attacker-${account}`, address: '203.0.113.1' })
const ownAccounts = loginsOf(120, (number) => fromOneAddress(number % 12))
const ownNetworks = loginsOf(100, (number) => ({ username: 'attacker', address: `203.0.113.${number}` }))
const manyAccounts = loginsOf(100, fromOneAddress)

/** Guesses at a fixed rate, without waiting for responses, each at another account. */
const guessesFrom =
  (toAddress: (number: number) => string): Flood =>
  async (tryLogin, time, hasEnded) => {
    for (let number = 0; !hasEnded(); number += 1) {
      void tryLogin({ username: `guessed-${number}`, address: toAddress(number), isRightPassword: false })
      // Not in step with the time-outs of the queue.
      await sleep(time, guessEveryMs * (0.5 + ((number * 7) % 11) / 10))
    }
  }

/** The floods of the table. */
export const floods: readonly (SimulatedFlood & { readonly name: string })[] = [
  {
    name: '(a) right passwords: 12 accounts of the attacker, 10 connections each, one address',
    flood: repeat(ownAccounts),
  },
  {
    name: '(b) 20 guesses a second, each from a new /64 of one /48',
    flood: guessesFrom((number) => `2001:db8:1:${number.toString(16)}::1`),
  },
  {
    name: '(c) 20 guesses a second from 500 unrelated networks',
    flood: guessesFrom((number) => `10.${(number % 500) >> 8}.${(number % 500) & 255}.1`),
  },
  {
    name: '(d) right passwords: one account, known from 100 addresses, one connection each',
    loginsBefore: ownNetworks,
    flood: repeat(ownNetworks),
  },
  {
    name: '(e) right passwords: 100 accounts, known from one address, one connection each',
    loginsBefore: manyAccounts,
    flood: repeat(manyAccounts),
  },
]

const floodMs = 60_000
/** The floods have filled the queue by then. */
const settledMs = 6_000
// Primes, so that logins arrive at all phases of a hash.
const ownerEveryMs = 1_009
const newcomerEveryMs = 3_001

/** Simulates a minute. The owner does not retry. */
export const simulateFlood = async (
  { flood, loginsBefore = [] }: SimulatedFlood,
  queue: (typeof queues)[number] = 'jwt-auth',
) => {
  const time = createTestClock(Date.UTC(2026, 0, 1))
  const tryLogin = createSimulatedLogins(createHashedUsers(time, queue), time)
  const owner: Login = { username: 'owner', address: '192.0.2.1', isRightPassword: true }
  for (const login of [owner, ...loginsBefore]) {
    const outcome = tryLogin(login)
    await time.runFor(1_000)
    if ((await outcome) !== 'in') throw new Error(`${login.username} did not log in before the flood.`)
  }

  const startedAt = time.now()
  void flood(tryLogin, time, () => time.now() >= startedAt + floodMs)

  const logIn = async (login: Login, { tookMs }: Outcomes, retries: boolean): Promise<void> => {
    const startedAt = time.now()
    for (;;) {
      const outcome = await tryLogin(login)
      if (outcome === 'in') tookMs.push(time.now() - startedAt)
      if (outcome === 'in' || !retries) return
      await sleep(time, outcome.waitSeconds * 1_000)
    }
  }

  // While the flood is at its height, without the last ten seconds: the simulation would end before
  // a login of that time could wait for ten seconds.
  const logInEvery = (periodMs: number, retries: boolean, toLogin: (number: number) => Login): Outcomes => {
    const outcomes: Outcomes = { attempts: 0, tookMs: [] }
    for (let atMs = settledMs; atMs <= floodMs - 10_000; atMs += periodMs) {
      time.startTimer(startedAt + atMs - time.now(), () => {
        outcomes.attempts += 1
        void logIn(toLogin(outcomes.attempts), outcomes, retries)
      })
    }
    return outcomes
  }

  const ofOwner = logInEvery(ownerEveryMs, false, () => owner)
  const ofNewcomers = logInEvery(newcomerEveryMs, true, (number) => ({
    username: `newcomer-${number}`,
    address: `198.51.100.${number}`,
    isRightPassword: true,
  }))
  await time.runFor(floodMs)
  for (const { tookMs } of [ofOwner, ofNewcomers]) tookMs.sort((one, other) => one - other)
  return {
    /** Logins of the owner, from the network of the day before. */
    owner: ofOwner,
    /** Logins of others, each with its own account, from a new network. They respect `Retry-After`. */
    newcomers: ofNewcomers,
  }
}

/** Creates users whose hashes are timers of a clock. Hashes wait for one processor. */
const createHashedUsers = (time: TestClock, kind: (typeof queues)[number]) => {
  const toUser = (id: string) => ({
    id,
    email: `${id}@example.com`,
    nicename: id,
    displayName: id,
    passwordHash: 'stored',
    credentialVersion: 1,
  })
  const hasher: PasswordHasher = {
    hash: async () => 'stored',
    verify: async (given) => {
      await sleep(time, hashMs)
      return given === rightPassword ? 'match' : 'mismatch'
    },
    needsRehash: () => false,
  }
  const queue = createHashingQueue({ concurrency: 1, ...withSystem(time) })
  const withoutPlaces: HashingQueue = { run: (work) => queue.run(work) }
  return passwordUsers({
    findByUsername: async (username) => toUser(username),
    findById: async (id) => toUser(String(id)),
    hasher,
    queue: kind === 'jwt-auth' ? queue : withoutPlaces,
  })
}

/** A flood, the queue that it met, and its result. */
export interface SimulatedRow {
  readonly flood: string
  readonly queue: (typeof queues)[number]
  readonly result: FloodResult
}

/** Simulates every flood against every queue. */
export const simulateFloods = async (): Promise<readonly SimulatedRow[]> => {
  const rows: SimulatedRow[] = []
  for (const flood of floods) {
    for (const queue of queues) rows.push({ flood: flood.name, queue, result: await simulateFlood(flood, queue) })
  }
  return rows
}

/** Writes the results of floods as a Markdown table with a row for each flood. */
export const toFloodTable = (rows: readonly SimulatedRow[]): string =>
  toMarkdownTable(
    ['Flood', ...queues.flatMap((queue) => [`${queue}: owner`, 'p95', 'newcomers', 'slowest'])],
    floods.map(({ name }) => [name, ...rows.flatMap(({ flood, result }) => (flood === name ? toCells(result) : []))]),
  )

const toCells = ({ owner, newcomers }: FloodResult): readonly string[] => [
  `${owner.tookMs.length} of ${owner.attempts}`,
  owner.tookMs.length === 0 ? '–' : (p95Of(owner) / hashMs).toFixed(2),
  `${inTime(newcomers)} of ${newcomers.attempts}`,
  // A login that has not succeeded by the end is slower than all others.
  newcomers.tookMs.length < newcomers.attempts
    ? 'some failed'
    : `${((newcomers.tookMs.at(-1) ?? 0) / 1_000).toFixed(1)} s`,
]

/** Returns the time that 95 of 100 successful logins took at most. */
export const p95Of = ({ tookMs }: Outcomes): number => tookMs[Math.ceil(tookMs.length * 0.95) - 1] ?? 0

/** Returns how many logins succeeded within ten seconds. */
export const inTime = ({ tookMs }: Outcomes): number => tookMs.filter((took) => took <= 10_000).length
