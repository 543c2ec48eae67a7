import { toMarkdownTable } from '@jwt-auth/test-support'
import { createSimulatedLogins, type Login, type LoginOutcome, rightPassword } from './simulated-logins.js'

/** A limit on attempts. Receives the attempts in their order, with the second of the day of each. */
type Defence = (login: Login, second: number) => Promise<LoginOutcome>

const startOfDay = Date.UTC(2026, 0, 1)

/** Creates the token service with its defaults, on simulated time and without hashes. */
const createOurDefence = (): Defence => {
  let now = startOfDay
  const victim = { id: 1, email: 'victim@example.com', nicename: 'victim', displayName: 'Victim' }
  const users = {
    findByUsername: async () => victim,
    findById: async () => victim,
    verifyPassword: async (_user: unknown, password: string) => password === rightPassword,
  }
  // The delay before a refusal ends immediately: it is at most a second, and the attacker guesses
  // once a second. Deadlines never end, because nothing is late.
  const startTimer = (delayMs: number, callback: () => void) => {
    if (delayMs <= 1_000) setImmediate(callback)
    return () => {}
  }
  const tryLogin = createSimulatedLogins(users, { now: () => now, startTimer })
  return (login, second) => {
    now = startOfDay + second * 1_000
    return tryLogin(login)
  }
}

/** Creates a common limit of logins: a number of failed attempts per key in each window. */
export const createPlainDefence = (
  keyOf: (login: Login) => string,
  limit: { readonly points: number; readonly durationSeconds: number },
): Defence => {
  const windows = new Map<string, { failures: number; readonly endsAt: number }>()
  return async (login, second) => {
    const known = windows.get(keyOf(login))
    const window =
      known !== undefined && second < known.endsAt ? known : { failures: 0, endsAt: second + limit.durationSeconds }
    if (window.failures >= limit.points) return { waitSeconds: window.endsAt - second }
    if (login.isRightPassword) return 'in'
    window.failures += 1
    windows.set(keyOf(login), window)
    return { waitSeconds: 0 }
  }
}

/** The address from which the victim logged in on the day before. */
const victimsAddress = '192.0.2.1'

const hour = 3_600
const day = 24 * hour

/**
 * Simulates a day. The attacker guesses once a second from each address, and waits after a refusal
 * exactly as long as requested. The victim logs in with the right password every hour, after the
 * attempts of the attacker in that second: once from a known network, and once from a new network.
 */
export const simulateDay = async (attempt: Defence, attackers: readonly string[]) => {
  const succeeds = async (address: string, second: number): Promise<boolean> =>
    (await attempt({ username: 'victim', address, isRightPassword: true }, second)) === 'in'

  await succeeds(victimsAddress, -hour)
  const due = new Map<number, readonly string[]>([[0, attackers]])
  // Of the guesses, those that were checked. Of the logins, those that succeeded.
  const counts = { guesses: 0, fromKnownNetwork: 0, fromNewNetwork: 0 }
  for (let second = 0; second < day; second += 1) {
    for (const address of due.get(second) ?? []) {
      const outcome = await attempt({ username: 'victim', address, isRightPassword: false }, second)
      const waitSeconds = outcome === 'in' ? 0 : outcome.waitSeconds
      if (waitSeconds === 0) counts.guesses += 1
      const next = second + Math.max(1, waitSeconds)
      due.set(next, [...(due.get(next) ?? []), address])
    }
    due.delete(second)
    if (second % hour === hour / 2) {
      if (await succeeds(victimsAddress, second)) counts.fromKnownNetwork += 1
      if (await succeeds(`198.51.100.${second / hour - 0.5}`, second)) counts.fromNewNetwork += 1
    }
  }
  return counts
}

const botnet = Array.from({ length: 1_000 }, (_, number) => `10.0.${number >> 8}.${number & 255}`)

const attacks: Readonly<Record<string, readonly string[]>> = {
  'one address': botnet.slice(0, 1),
  '1,000 addresses (a botnet)': botnet,
  '10 addresses': botnet.slice(0, 10),
  'one address in the network of the victim': [victimsAddress],
}

const defences: Readonly<Record<string, () => Defence>> = {
  'jwt-auth': createOurDefence,
  '10 per address in 3 hours': () =>
    createPlainDefence(({ address }) => address, { points: 10, durationSeconds: 3 * hour }),
  '100 per account in a day': () => createPlainDefence(() => 'the account', { points: 100, durationSeconds: day }),
}

/** Simulates every attack against every defence. Returns a table with a column for each defence. */
export const simulateGuesses = async (): Promise<string> => {
  const rows: string[][] = []
  for (const [name, addresses] of Object.entries(attacks)) {
    const cells: string[] = []
    for (const createDefence of Object.values(defences)) {
      const { guesses, fromKnownNetwork, fromNewNetwork } = await simulateDay(createDefence(), addresses)
      cells.push([guesses.toLocaleString('en'), toPercent(fromKnownNetwork), toPercent(fromNewNetwork)].join('; '))
    }
    rows.push([name, ...cells])
  }
  return toMarkdownTable(['Attacker', ...Object.keys(defences)], rows)
}

const toPercent = (successes: number): string => `${Math.round((successes / 24) * 100)} %`
