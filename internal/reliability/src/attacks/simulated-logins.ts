import { createHash } from 'node:crypto'
import { createTokenService, isAuthError } from '@jwt-auth/core'
import {
  createHashingQueue,
  type HashingQueue,
  type PasswordHasher,
  passwordUsers,
  type StoredUser,
} from '@jwt-auth/passwords'
import { memoryStorage } from '@jwt-auth/storage-memory'
import type { TestClock } from '@jwt-auth/test-support/test-clock'

/** An attempt to log in. Every user name has an account, and all accounts have the same password. */
export interface Login {
  readonly username: string
  readonly address: string
  readonly isRightPassword: boolean
}

/** `in`, or when to retry. A wrong password may be retried immediately. */
type LoginOutcome = 'in' | { readonly retryAfterMs: number }

/** Tries to log in. */
export type TryLogin = (login: Login) => Promise<LoginOutcome>

/** The queue in which the hashes wait: the queue of the service, or a queue in the order of arrival. */
export type QueueKind = 'jwt-auth' | 'order of arrival'

/** Waits on a clock. */
export const sleep = (time: TestClock, milliseconds: number): Promise<void> =>
  new Promise((resolve) => time.startTimer(milliseconds, resolve))

/** The time of one hash at bcrypt's cost 12, on the machine of the tables. */
export const hashMs = 210

const password = 'the right one'

/** Creates the token service with its defaults on simulated time, as on two processors. A hash is a timer of this clock. */
export const createSimulatedLogins = (time: TestClock, kind: QueueKind): TryLogin => {
  const toUser = (id: string): StoredUser => ({
    id,
    email: `${id}@example.com`,
    nicename: id,
    displayName: id,
    passwordHash: 'stored',
    credentialVersion: 1,
  })
  const queue = createHashingQueue({ concurrency: 1, system: time })
  const users = passwordUsers({
    findByUsername: async (username) => toUser(username),
    findById: async (id) => toUser(String(id)),
    hasher: createTimedHasher(time),
    queue: kind === 'jwt-auth' ? queue : withoutPlaces(queue),
  })
  const service = createTokenService({
    // Always the same, since the keys of the limits depend on it and the table must not change.
    secret: createHash('sha256').update('a service that is simulated').digest(),
    issuer: 'https://simulator.example',
    users,
    storage: memoryStorage({ quiet: true }),
    system: { now: time.now, startTimer: time.startTimer },
  })
  return async ({ username, address, isRightPassword }) => {
    try {
      await service.authenticate({ username, password: isRightPassword ? password : 'a guess' }, { address })
      return 'in'
    } catch (thrown) {
      if (!isAuthError(thrown)) throw thrown
      return { retryAfterMs: (thrown.retryAfterSeconds ?? 0) * 1_000 }
    }
  }
}

const createTimedHasher = (time: TestClock): PasswordHasher => ({
  hash: async () => 'stored',
  verify: async (given) => {
    await sleep(time, hashMs)
    return given === password ? 'match' : 'mismatch'
  },
  needsRehash: () => false,
})

const withoutPlaces = ({ run }: HashingQueue): HashingQueue => ({ run: (work) => run(work) })
