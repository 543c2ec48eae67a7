import type { Flood } from './simulate-flood.js'

const accounts = 12
const connections = 10
const perSecond = 20

/** An attacker does not heed `Retry-After`. */
const impatienceMs = 250

const ownAccounts: Flood = async (tryLogin, time, isOver) => {
  const connect = async (username: string): Promise<void> => {
    while (!isOver()) {
      const outcome = await tryLogin({ username, address: '203.0.113.1', isRightPassword: true })
      if (outcome !== 'in') await time.sleep(impatienceMs)
    }
  }
  await Promise.all(
    Array.from({ length: accounts * connections }, (_, number) => connect(`attacker-${number % accounts}`)),
  )
}

/** Guesses at a fixed rate, whether or not earlier guesses were judged, each at another account. */
const guessesFrom =
  (toAddress: (number: number) => string): Flood =>
  async (tryLogin, time, isOver) => {
    for (let number = 0; !isOver(); number += 1) {
      void tryLogin({ username: `guessed-${number}`, address: toAddress(number), isRightPassword: false })
      // Not in step with the time-outs of the queue.
      await time.sleep((1_000 / perSecond) * (0.5 + ((number * 7) % 11) / 10))
    }
  }

/** The floods of the table. */
export const floods: readonly { readonly name: string; readonly flood: Flood }[] = [
  { name: '(a) 12 own accounts, right passwords, 10 connections each, one address', flood: ownAccounts },
  {
    name: '(b) 20 guesses a second, each from a new /64 of one /48',
    flood: guessesFrom((number) => `2001:db8:1:${number.toString(16)}::1`),
  },
  {
    name: '(c) 20 guesses a second from 500 unrelated networks',
    flood: guessesFrom((number) => `10.${(number % 500) >> 8}.${(number % 500) & 255}.1`),
  },
]
