import type { Defence } from './defence.js'

/** What one day came to. */
export interface Day {
  /** Passwords of the attacker's that were looked at. */
  readonly guesses: number
  /** How many of the victim's 24 logins from the network they came from before were let in. */
  readonly fromKnownNetwork: number
  /** How many of the victim's 24 logins, each from a network they never came from, were let in. */
  readonly fromNewNetwork: number
}

/** Where the victim logged in the day before. */
export const victimsAddress = '192.0.2.1'

const hour = 3_600
const day = 24 * hour

/**
 * A day on which the attacker tries at each address as soon as it is let, a guess in a second, and waits exactly as long as
 * it is told to; the victim logs in with the right password every hour, after whatever the attacker did in that second.
 */
export const simulateDay = async (defence: Defence, attackers: readonly string[]): Promise<Day> => {
  await defence.attempt({ address: victimsAddress, isRightPassword: true, second: -hour })
  const due = new Map<number, readonly string[]>([[0, attackers]])
  const counts = { guesses: 0, fromKnownNetwork: 0, fromNewNetwork: 0 }

  const isLetIn = async (address: string, second: number): Promise<boolean> =>
    (await defence.attempt({ address, isRightPassword: true, second })) === 'let in'

  for (let second = 0; second < day; second += 1) {
    for (const address of due.get(second) ?? []) {
      const outcome = await defence.attempt({ address, isRightPassword: false, second })
      if (outcome === 'wrong') counts.guesses += 1
      const next = second + (typeof outcome === 'object' ? outcome.waitSeconds : 1)
      due.set(next, [...(due.get(next) ?? []), address])
    }
    due.delete(second)
    if (second % hour === hour / 2) {
      if (await isLetIn(victimsAddress, second)) counts.fromKnownNetwork += 1
      if (await isLetIn(`198.51.100.${second / hour - 0.5}`, second)) counts.fromNewNetwork += 1
    }
  }
  return counts
}
