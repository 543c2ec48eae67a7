import type { Flood, SimulatedFlood } from './simulate-flood.js'
import { type Login, sleep } from './simulated-logins.js'

const accounts = 12
const connections = 10
const many = 100
const perSecond = 20

// An attacker ignores `Retry-After`.
const impatienceMs = 250

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

const ownAccounts: readonly Login[] = Array.from({ length: accounts * connections }, (_, number) => ({
  username: `attacker-${number % accounts}`,
  address: '203.0.113.1',
  isRightPassword: true,
}))

const ownNetworks: readonly Login[] = Array.from({ length: many }, (_, number) => ({
  username: 'attacker',
  address: `203.0.113.${number}`,
  isRightPassword: true,
}))

const manyAccounts: readonly Login[] = Array.from({ length: many }, (_, number) => ({
  username: `attacker-${number}`,
  address: '203.0.113.1',
  isRightPassword: true,
}))

/** Guesses at a fixed rate, without waiting for responses, each at another account. */
const guessesFrom =
  (toAddress: (number: number) => string): Flood =>
  async (tryLogin, time, hasEnded) => {
    for (let number = 0; !hasEnded(); number += 1) {
      void tryLogin({ username: `guessed-${number}`, address: toAddress(number), isRightPassword: false })
      // Not in step with the time-outs of the queue.
      await sleep(time, (1_000 / perSecond) * (0.5 + ((number * 7) % 11) / 10))
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
