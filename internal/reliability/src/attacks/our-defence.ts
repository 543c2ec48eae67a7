import { createHash } from 'node:crypto'
import { createTokenService, isAuthError, type System, type User } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import type { Defence, Outcome } from './defence.js'

const victim: User = { id: 1, email: 'victim@example.com', nicename: 'victim', displayName: 'Victim' }
const rightPassword = 'the right one'
const startOfDay = Date.UTC(2026, 0, 1)

/** Creates the token service with its defaults, on simulated time and without hashes. */
export const createOurDefence = (): Defence => {
  let now = startOfDay
  const service = createTokenService({
    // Always the same, since the keys of the limits depend on it and the table must not change.
    secret: createHash('sha256').update('a service that is simulated').digest(),
    issuer: 'https://simulator.example',
    users: {
      findByUsername: async () => victim,
      findById: async () => victim,
      verifyPassword: async (_user, password) => password === rightPassword,
    },
    storage: memoryStorage({ quiet: true }),
    system: { now: () => now, startTimer: endWaits },
    storageTimeoutMs: 5_000,
  })
  return {
    attempt: async ({ address, isRightPassword, second }) => {
      now = startOfDay + second * 1_000
      try {
        const password = isRightPassword ? rightPassword : 'a guess'
        await service.authenticate({ username: 'victim', password }, { address })
        return 'success'
      } catch (thrown) {
        return toOutcome(thrown)
      }
    },
  }
}

// The delay before a refusal ends immediately: it is at most a second, and the attacker guesses once a second. Deadlines never end,
// because nothing is late.
const endWaits: System['startTimer'] = (delayMs, callback) => {
  if (delayMs <= 1_000) setImmediate(callback)
  return () => {}
}

const toOutcome = (thrown: unknown): Outcome => {
  if (isAuthError(thrown) && thrown.code === 'jwt_auth_failed') return 'wrong'
  if (isAuthError(thrown) && thrown.retryAfterSeconds !== undefined) return { waitSeconds: thrown.retryAfterSeconds }
  throw thrown
}
