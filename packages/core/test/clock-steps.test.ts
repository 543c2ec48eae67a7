import { setImmediate as nextTurn } from 'node:timers/promises'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem, type TestSystem } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { createSchemaCheck } from '../src/checked/schema-check.js'
import { AuthError } from '../src/errors/auth-error.js'
import { createStderrReport } from '../src/errors/report-to-stderr.js'
import { createReporter } from '../src/events/listeners.js'
import { createAttemptCounter } from '../src/limits/attempt-counter.js'
import { createFallbackLimiter, createMemoryLimiter } from '../src/limits/limiter.js'
import { createDeadline } from '../src/system.js'

const hourMs = 3_600_000

/** Tries something that then waits. Returns whether it took place. */
type Attempt = () => Promise<boolean> | boolean

/** Creates the attempt that takes place if a call of `attempt` calls `happened`. */
const createAttempt = (attempt: (happened: () => void) => () => unknown): Attempt => {
  let count = 0
  const run = attempt(() => {
    count += 1
  })
  return async () => {
    const before = count
    await run()
    return count > before
  }
}

const tokenCount = { key: 'k', durationSeconds: 24 * 3_600 }

const waits: readonly [string, number, (system: TestSystem) => Attempt][] = [
  [
    'the pause after an outage of the limiter',
    5_000,
    (system) =>
      createAttempt((happened) => {
        const fail = async () => {
          happened()
          throw new Error('down')
        }
        const runInTime = createDeadline(1_000, system)
        const limiter = createFallbackLimiter({ reserve: fail, refund: fail }, createMemoryLimiter(), {
          ...system,
          runInTime,
          report: () => {},
        })
        return () => limiter.reserve([tokenCount], { now: system.now() })
      }),
  ],
  [
    'the pause after a status of the storage that was unreachable',
    5_000,
    (system) =>
      createAttempt((happened) => {
        const getStatus = async () => {
          happened()
          throw new Error('down')
        }
        const runInTime = createDeadline(1_000, system)
        return createSchemaCheck(getStatus, { ...system, runInTime, onPrimaryChange: () => {} }).beforeCall
      }),
  ],
  [
    'the pause before a count that was used up is looked up again',
    1_000,
    (system) =>
      createAttempt((happened) => {
        const memory = createMemoryLimiter()
        const reserve: typeof memory.reserve = (counts, options) => {
          happened()
          return memory.reserve(counts, options)
        }
        const { count } = createAttemptCounter({
          ...system,
          limiter: { ...memory, reserve },
          maxCallsInFlight: 1,
          onExceeded: () => {},
        })
        return () =>
          count({
            buckets: [{ ...tokenCount, limit: 'tokens', network: 'n', points: 0, isForKnown: false }],
            network: 'n',
          })
      }),
  ],
  [
    'the window of a limit that is counted in memory',
    60_000,
    (system) => {
      const { service } = createTestService({
        system,
        rateLimits: { tokens: { points: 1, durationSeconds: 60 } },
      })
      return async () => (await outcomeOf(service.refresh('wrong'))) === 'jwt_auth_invalid_refresh_token'
    },
  ],
  [
    'the minute after a report of a flood',
    60_000,
    (system) =>
      createAttempt((happened) => {
        const { report } = createReporter(happened, () => {}, system)
        return () => report(new AuthError('jwt_auth_unavailable', { refusal: { reason: 'queue', isKnown: false } }))
      }),
  ],
  [
    'the second after a record on stderr',
    1_000,
    (system) =>
      createAttempt((happened) => {
        const report = createStderrReport({ ...system, write: happened })
        return () => report(new AuthError('jwt_auth_unavailable'))
      }),
  ],
]

describe.each([
  ['forward', hourMs],
  ['back', -hourMs],
])('a step of the wall clock by an hour %s', (_, stepMs) => {
  it.each(waits)('changes nothing about %s', async (_title, durationMs, create) => {
    const system = createTestSystem()
    const attempt = create(system)
    expect(await attempt()).toBe(true)
    system.stepMs(stepMs)
    system.advance(durationMs - 1)
    expect(await attempt()).toBe(false)
    system.advance(1)
    expect(await attempt()).toBe(true)
  })

  it('during a password check changes nothing about the delay of refused logins', async () => {
    const system = createTestSystem()
    const { service, users } = createTestService({
      system,
      rateLimits: { accountAndNetwork: { points: 1, durationSeconds: 60 } },
    })
    const { verifyPassword } = users
    users.verifyPassword = async (...args) => {
      system.stepMs(stepMs)
      return verifyPassword(...args)
    }
    const fail = () => outcomeOf(service.login({ username: ann.nicename, password: 'wrong' }))
    expect(await fail()).toBe('jwt_auth_failed')
    void fail()
    await nextTurn()
    expect(system.timers()).toEqual([1_000])
  })

  it('during a purge changes nothing about the size of its batches', async () => {
    const system = createTestSystem()
    const limits: number[] = []
    const { service } = createTestService({
      system,
      storage: {
        ...memoryStorage({ quiet: true }),
        deleteExpired: async ({ limit }) => {
          system.stepMs(stepMs)
          limits.push(limit)
          return limits.length < 4 ? limit : 0
        },
      },
    })
    await service.sessions.purge()
    expect(limits).toEqual([10, 20, 40, 80])
  })
})
