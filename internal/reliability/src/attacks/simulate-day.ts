import type { Defence } from './defence.js'

/** The results of one day. */
export interface Day {
  /** The number of the attacker's passwords that were checked. */
  readonly guesses: number
  /** How many of the victim's 24 logins from a known network succeeded. */
  readonly fromKnownNetwork: number
  /** How many of the victim's 24 logins, each from a new network, succeeded. */
  readonly fromNewNetwork: number
}

/** The address from which the victim logged in on the day before. */
export const victimsAddress = '192.0.2.1'

const hour = 3_600
const day = 24 * hour

/**
 * Simulates a day. The attacker guesses once a second from each address, and waits after a refusal exactly as long as requested.
 * The victim logs in with the right password every hour, after the attempts of the attacker in that second.
 */
export const simulateDay = async (defence: Defence, attackers: readonly string[]): Promise<Day> => {
  await defence.attempt({ address: victimsAddress, isRightPassword: true, second: -hour })
  const due = new Map<number, readonly string[]>([[0, attackers]])
  const counts = { guesses: 0, fromKnownNetwork: 0, fromNewNetwork: 0 }

  const succeeds = async (address: string, second: number): Promise<boolean> =>
    (await defence.attempt({ address, isRightPassword: true, second })) === 'success'

  for (let second = 0; second < day; second += 1) {
    for (const address of due.get(second) ?? []) {
      const outcome = await defence.attempt({ address, isRightPassword: false, second })
      if (outcome === 'wrong') counts.guesses += 1
      const next = second + (typeof outcome === 'object' ? outcome.waitSeconds : 1)
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
