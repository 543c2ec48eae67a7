import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { createRefusalGrid } from '../../src/limits/refusal-grid.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'
import { nextTurn } from '../support/next-turn.js'
import { ann, createTestDirectory } from '../support/test-directory.js'
import { createTestService } from '../support/test-service.js'
import { createTestSystem } from '../support/test-system.js'

const refused = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 60 })

/** Runs work that takes so long and is refused. */
const createGrid = () => {
  const system = createTestSystem()
  const closing = new AbortController()
  const delayRefusal = createRefusalGrid({ ...system, closing: closing.signal })
  const refuse = async (tookMs: number, { error = refused, signal }: { error?: Error; signal?: AbortSignal } = {}) => {
    let outcome: unknown = 'waits'
    const work = async () => {
      system.advance(tookMs)
      throw error
    }
    delayRefusal(work, signal).catch((thrown: unknown) => {
      outcome = thrown
    })
    await nextTurn()
    return { outcome: () => outcome }
  }
  return { system, closing, delayRefusal, refuse }
}

describe('a refusal', () => {
  it.each([
    [0, 1_000],
    [250, 750],
    [999, 1],
    [1_000, 1_000],
    [1_300, 700],
    // The clock was set back.
    [-3_600_000, 1_000],
  ])('that took %i ms is delayed by %i ms, until the next whole second', async (tookMs, delayMs) => {
    const { system, refuse } = createGrid()
    const { outcome } = await refuse(tookMs)
    expect([system.timers(), outcome()]).toEqual([[delayMs], 'waits'])
    system.fireTimers()
    await nextTurn()
    expect(outcome()).toBe(refused)
  })

  it.each([
    ['the client disconnects', 'client'],
    ['the service closes', 'closing'],
  ] as const)('is delayed no longer when %s', async (_, by) => {
    const { system, closing, refuse } = createGrid()
    const client = new AbortController()
    const { outcome } = await refuse(0, { signal: client.signal })
    expect(outcome()).toBe('waits')
    const ends = { client, closing }
    ends[by].abort()
    await nextTurn()
    expect([system.timers(), outcome()]).toEqual([[], refused])
  })

  it('is not delayed for a client that has disconnected already', async () => {
    const { system, refuse } = createGrid()
    const { outcome } = await refuse(0, { signal: AbortSignal.abort() })
    expect([system.timers(), outcome()]).toEqual([[], refused])
  })

  it('is not delayed when it is no refusal of a limit', async () => {
    const { system, refuse } = createGrid()
    const error = new AuthError('jwt_auth_unavailable')
    const { outcome } = await refuse(0, { error })
    expect([system.timers(), outcome()]).toEqual([[], error])
  })
})

/** A service with a network whose limit is used up, from which Ann has logged in. A check takes 200 ms of the test's time. */
const createUsedUpService = async () => {
  const system = createTestSystem()
  const directory = createTestDirectory()
  let isSlow = false
  const { service } = createTestService({
    system,
    rateLimits: { network: { points: 3, durationSeconds: 600 } },
    users: {
      ...directory,
      verifyPassword: async (user, password) => {
        if (isSlow) await new Promise<void>((resolve) => system.startTimer(200, resolve))
        return directory.verifyPassword(user, password)
      },
    },
  })
  const address = addressOf(1)
  const attempt = (username: string, password: string = wrong) =>
    service.authenticate({ username, password }, { address })
  await attempt('ann', ann.password)
  for (let count = 0; count < 3; count += 1) await attempt(`name-${count}`).catch(() => {})
  isSlow = true
  /** Moves the clock from timer to timer. */
  const runFor = async (durationMs: number) => {
    const end = system.now() + durationMs
    for (;;) {
      await nextTurn()
      const next = Math.min(...system.timers())
      if (system.now() + next > end) return
      // All timers of one key run one after another, so that those that run were started together.
      system.advance(next)
      system.fireTimers()
    }
  }
  return { system, service, address, attempt, runFor }
}

describe('the refusal of a login', () => {
  it.each([
    ['whose password was checked', 'ann'],
    ['whose password was not checked', 'bob'],
    ['of a name that nobody has', 'nobody'],
  ])('is sent after one second: %s', async (_, username) => {
    const { system, attempt, runFor } = await createUsedUpService()
    const start = system.now()
    const ended = attempt(username).catch(() => system.now() - start)
    await runFor(5_000)
    expect(await ended).toBe(1_000)
  })

  it.each(['ann', 'bob', 'nobody'])('takes turns with others at the same name, ten at most: %s', async (username) => {
    const { system, attempt, runFor } = await createUsedUpService()
    const start = system.now()
    const ends: number[] = []
    const attempts = Array.from({ length: 12 }, () => attempt(username).catch(() => ends.push(system.now() - start)))
    await runFor(20_000)
    await Promise.all(attempts)
    expect(ends).toEqual([0, 0, ...Array.from({ length: 10 }, (_, place) => (place + 1) * 1_000)])
  })

  it.each([
    ['ann', 'ánn'],
    ['bob', 'bób'],
    ['nobody', 'nóbody'],
  ])('takes turns with others at a name with the same key, whether or not one exists: %s, %s', async (name, twin) => {
    const { system, attempt, runFor } = await createUsedUpService()
    const start = system.now()
    const first = attempt(name).catch(() => {})
    const second = attempt(twin).catch(() => system.now() - start)
    await runFor(5_000)
    await first
    expect(await second).toBe(2_000)
  })

  it('is sent after one second for checkPassword too', async () => {
    const { system, service, address, runFor } = await createUsedUpService()
    const start = system.now()
    const ended = service.checkPassword('bob-2', wrong, { address }).catch(() => system.now() - start)
    await runFor(5_000)
    expect(await ended).toBe(1_000)
  })
})

describe('more than 200 refused logins of one network that wait', () => {
  it.each([
    ['of a known user', 'ann'],
    ['of a user who is not known there', 'bob'],
    ['of a name that nobody has', 'nobody'],
  ])('are refused immediately and without a check: %s', async (_, username) => {
    const test = createAttackedService({ system: createTestSystem(), rateLimits: { network: limitOfTest } })
    const from = addressOf(1)
    await test.attempt({ from })
    for (let count = 0; count < 3; count += 1) await test.failFrom(from, 1, `name-${count}`)
    const checked = test.hashes()
    const waiting = Array.from({ length: 200 }, (_unused, number) => test.failFrom(from, 1, `name-${number}`))
    await nextTurn()
    expect(await test.attempt({ from, username, password: wrong })).toEqual({ throttled: 600 })
    expect(test.hashes()).toBe(checked)
    await test.service.close()
    await Promise.all(waiting)
  })
})

const limitOfTest = { points: 3, durationSeconds: 600 }
