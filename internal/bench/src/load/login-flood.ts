import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../measure/statistics.js'
import { toLoginRequest } from './login-request.js'
import { type LoadRequest, type LoadResponse, sendRequest } from './send-request.js'

/** The kinds of floods: twelve accounts from one address, and guesses from new /64s of one /48 or from 500 networks. */
export type FloodKind = 'own-accounts' | 'one-48' | 'many-networks'

/** A flood of logins, and the logins of others during it. */
export interface LoginFlood {
  readonly url: string
  readonly password: string
  readonly kind: FloodKind
  /** For how long other users keep logging in. The flood starts before them and lasts until their last retry. */
  readonly seconds: number
  /** How long the flood runs alone, to fill the queue. */
  readonly settleSeconds: number
  /** How long newcomers retry. */
  readonly patienceSeconds: number
  /** The number of logins before the flood, one after another. */
  readonly warmUp: number
  /** How many hashes the application runs concurrently. */
  readonly concurrency: number
}

/** The results of the logins of others. */
export interface LoginFloodResult {
  /** The time of one hash during the flood. The application hashes all the time. */
  readonly hashMs: number
  /** The logins of a user on a known network, who does not retry. */
  readonly owner: LoginTimes
  /** The statuses of the owner's failed logins. 0 stands for an incomplete or missing response. */
  readonly ownerFailures: readonly number[]
  /** The logins of users on new networks, who retry after `Retry-After`. */
  readonly newcomers: LoginTimes
}

/** The results of logins. */
export interface LoginTimes {
  readonly attempts: number
  /** The time of each successful login, including retries. */
  readonly tookMs: readonly number[]
  /**
   * The number of hashes that ended during each login, including its own. Other work on the machine does not change this number.
   */
  readonly hashes: readonly number[]
}

interface Login {
  readonly user: number
  readonly address: string
  readonly isGuess?: boolean
}

const owner: Login = { user: 1, address: '192.0.2.1' }
// The intervals, in times of one hash. On a slow machine, the logins of other users are then less frequent, and not a flood
// themselves.
const ownerEvery = 4.7
const newcomerEvery = 14.3

/** Runs a flood, and the logins of others. */
export const runLoginFlood = async (flood: LoginFlood): Promise<LoginFloodResult> => {
  // Others use new connections. On a reused connection, a request would fail when the application closes the idle connection.
  const others = createClients(flood, { keepAlive: false })
  const { logIn } = others
  const hashSeconds = (await warmUp(flood, logIn)) / 1_000
  if ((await logIn(owner)).status !== 200) throw new Error('The owner could not log in before the flood.')

  const attackers = createClients(flood, { keepAlive: true })
  startFlood(flood.kind, attackers)
  await wait(flood.settleSeconds * 1_000)
  const countHashes = (): number => attackers.countHashes() + others.countHashes()
  const failures: number[] = []
  const [startedAt, hashesBefore] = [performance.now(), countHashes()]
  const [ownerTimes, newcomerTimes] = await Promise.all([
    logInEvery({
      everySeconds: ownerEvery * hashSeconds,
      seconds: flood.seconds,
      countHashes,
      logIn: async () => {
        const { status } = await logIn(owner)
        if (status !== 200) failures.push(status)
        return status === 200
      },
    }),
    logInEvery({
      everySeconds: newcomerEvery * hashSeconds,
      seconds: flood.seconds,
      countHashes,
      logIn: (number) =>
        logInPatiently(flood.patienceSeconds, () => logIn({ user: 2_000 + number, address: `198.51.100.${number}` })),
    }),
  ])
  const hashMs = ((performance.now() - startedAt) * flood.concurrency) / (countHashes() - hashesBefore)
  attackers.stop()
  others.stop()
  return { hashMs, owner: ownerTimes, ownerFailures: failures, newcomers: newcomerTimes }
}

/** Returns the median time of a login, in milliseconds. */
const warmUp = async (
  { warmUp: logins }: LoginFlood,
  logIn: (login: Login) => Promise<LoadResponse>,
): Promise<number> => {
  const took: number[] = []
  for (let turn = 0; turn < logins; turn += 1) {
    const startedAt = performance.now()
    await logIn({ user: 1_000 + turn, address: `100.64.0.${turn}` })
    took.push(performance.now() - startedAt)
  }
  return median(took)
}

interface Series {
  readonly everySeconds: number
  readonly seconds: number
  readonly countHashes: () => number
  readonly logIn: (number: number) => Promise<boolean>
}

const logInEvery = async ({ everySeconds, seconds, countHashes, logIn }: Series): Promise<LoginTimes> => {
  const tookMs: number[] = []
  const hashes: number[] = []
  const count = Math.max(1, Math.floor(seconds / everySeconds))
  const one = async (number: number): Promise<void> => {
    await wait(number * everySeconds * 1_000)
    const [startedAt, hashesBefore] = [performance.now(), countHashes()]
    if (!(await logIn(number))) return
    tookMs.push(performance.now() - startedAt)
    hashes.push(countHashes() - hashesBefore)
  }
  await Promise.all(Array.from({ length: count }, (_, number) => one(number)))
  return { attempts: count, tookMs, hashes }
}

const logInPatiently = async (patienceSeconds: number, logIn: () => Promise<LoadResponse>): Promise<boolean> => {
  const end = performance.now() + patienceSeconds * 1_000
  for (;;) {
    const { status, retryAfterSeconds } = await logIn()
    if (performance.now() > end) return false
    if (status === 200) return true
    await wait(Math.max(100, retryAfterSeconds * 1_000))
  }
}

/** Clients on separate connections. */
interface Clients {
  readonly logIn: (login: Login) => Promise<LoadResponse>
  /** Returns how many of their passwords were hashed. */
  readonly countHashes: () => number
  readonly isStopped: () => boolean
  readonly stop: () => void
}

const createClients = ({ url, password }: LoginFlood, { keepAlive }: { readonly keepAlive: boolean }): Clients => {
  const agent = new Agent({ keepAlive })
  let hashes = 0
  let isStopped = false
  return {
    logIn: async (login) => {
      const response = await sendRequest(url, agent, toRequest(login, password))
      if (response.status === 200 || response.status === 403) hashes += 1
      return response
    },
    countHashes: () => hashes,
    isStopped: () => isStopped,
    stop: () => {
      isStopped = true
      agent.destroy()
    },
  }
}

const startFlood = (kind: FloodKind, { logIn, isStopped }: Clients): void => {
  // An attacker ignores Retry-After, but leaves processor time to the application on the same machine.
  const connect = async (user: number): Promise<void> => {
    while (!isStopped()) {
      const { status } = await logIn({ user, address: '203.0.113.1' })
      if (status !== 200) await wait(250)
    }
  }
  const guess = async (toAddress: (number: number) => string): Promise<void> => {
    for (let number = 0; !isStopped(); number += 1) {
      void logIn({ user: 10_000 + number, address: toAddress(number), isGuess: true })
      await wait(1_000 / 20)
    }
  }

  switch (kind) {
    case 'own-accounts':
      for (let connection = 0; connection < 120; connection += 1) void connect(100 + (connection % 12))
      return
    case 'one-48':
      void guess((number) => `2001:db8:1:${number.toString(16)}::1`)
      return
    case 'many-networks':
      void guess((number) => `10.${(number % 500) >> 8}.${(number % 500) & 255}.1`)
  }
}

const toRequest = ({ user, address, isGuess = false }: Login, password: string): LoadRequest =>
  toLoginRequest({ username: `user-${user}`, password: isGuess ? `${password}!` : password, address })
