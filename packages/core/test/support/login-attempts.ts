import { createTestSystem, type TestSystem } from '@jwt-auth/test-support/test-clock'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService, type TestService, type TestServiceOptions } from '@jwt-auth/test-support/test-service'
import { isAuthError } from '../../src/errors/auth-error.js'
import type { AuthEvent } from '../../src/events/auth-event.js'
import type { RateLimits } from '../../src/limits/rate-limits.js'
import type { UserDirectory } from '../../src/ports/user-directory.js'

/** Returns an address of another network for each number. */
export const addressOf = (number: number): string => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`

/** The outcome of an attempt: authenticated, refused as wrong, or `throttled` with the seconds to wait. */
type AttemptOutcome = 'in' | 'wrong' | { readonly throttled: number | undefined }

/** The address and the credentials of an attempt. The default is Ann's right password. */
interface Attempt {
  readonly from: string | undefined
  readonly username?: string
  readonly password?: string
}

/** A service that counts its password checks. */
export interface AttackedService extends TestService {
  /** The events `rate_limited`. */
  readonly refusals: () => readonly AuthEvent[]
  readonly attempt: (attempt: Attempt) => Promise<AttemptOutcome>
  /** Makes failing attempts, one after the other. */
  readonly failFrom: (
    address: string | undefined,
    times: number,
    username?: string,
  ) => Promise<readonly AttemptOutcome[]>
  /** The number of checked passwords. */
  readonly hashes: () => number
  /** The number of checked passwords of existing users. */
  readonly guesses: () => number
}

export const wrong = 'wrong password'

/** Creates the clock of the test. The delay of a refusal ends in the next turn of the event loop: checks must not take longer. */
const endWaits = ({ startTimer, ...system }: TestSystem): TestSystem => ({
  ...system,
  startTimer: (delayMs, callback) => {
    if (delayMs > longestWaitMs) return startTimer(delayMs, callback)
    const turn = setImmediate(callback)
    return () => clearImmediate(turn)
  },
})

const longestWaitMs = 5_000

const hour = 3_600

// The tests do not depend on the defaults. Their titles name these numbers.
const limits: RateLimits = {
  accountAndNetwork: { points: 10, durationSeconds: 3 * hour },
  account: { points: 100, durationSeconds: 24 * hour },
  network: { points: 100, durationSeconds: hour },
  tokens: { points: 1_000, durationSeconds: 60 },
}

export const createAttackedService = (options: TestServiceOptions = {}): AttackedService => {
  const directory = options.users ?? createTestDirectory()
  let [hashes, guesses] = [0, 0]
  const users: UserDirectory = {
    ...directory,
    verifyPassword: (user, password, checkOptions) => {
      hashes += 1
      guesses += user === undefined ? 0 : 1
      return directory.verifyPassword(user, password, checkOptions)
    },
  }
  const system = endWaits(createTestSystem())
  const rateLimits = options.rateLimits === false ? false : { ...limits, ...options.rateLimits }
  const test = createTestService({ system, callTimeoutMs: 60_000, ...options, rateLimits, users })

  const attempt = async ({ from, username = ann.nicename, password = ann.password }: Attempt) => {
    try {
      await test.service.login({ username, password }, { address: from })
      return 'in'
    } catch (thrown) {
      if (!isAuthError(thrown)) throw thrown
      if (thrown.code === 'jwt_auth_failed') return 'wrong'
      if (thrown.code === 'jwt_auth_rate_limited') return { throttled: thrown.retryAfterSeconds }
      throw thrown
    }
  }

  const failFrom = async (from: string | undefined, times: number, username?: string) => {
    const outcomes: AttemptOutcome[] = []
    for (let count = 0; count < times; count += 1) {
      outcomes.push(await attempt({ from, password: wrong, ...(username !== undefined && { username }) }))
    }
    return outcomes
  }

  return {
    ...test,
    system,
    refusals: () => test.events.filter(({ type }) => type === 'rate_limited'),
    attempt,
    failFrom,
    hashes: () => hashes,
    guesses: () => guesses,
  }
}
