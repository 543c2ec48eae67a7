import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { createRefusalDelay } from '../../src/limits/login-limits.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'

const refusal = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 60 })

/** Delays the refusal of an attempt whose check ends when the test says so. */
const createDelay = (took: readonly number[] = [250]) => {
  const system = createTestSystem()
  const closing = new AbortController()
  const { observe, delay } = createRefusalDelay({ ...system, closing: closing.signal })
  for (const tookMs of took) observe(tookMs)
  const refuse = (signal?: AbortSignal) => {
    let outcome: unknown = 'waits'
    let resolve: (isRight: boolean) => void = () => {}
    let reject: (fault: Error) => void = () => {}
    const ended = new Promise<boolean>((...settle) => {
      ;[resolve, reject] = settle
    })
    const signals: AbortSignal[] = []
    const check = (ofCheck: AbortSignal): Promise<boolean> => {
      signals.push(ofCheck)
      return ended
    }
    delay({ refusal, signal }, check).then(
      (isRight) => {
        outcome = isRight
      },
      (thrown: unknown) => {
        outcome = thrown
      },
    )
    return { outcome: () => outcome, isAborted: () => signals.map(({ aborted }) => aborted), resolve, reject }
  }
  return { system, closing, refuse }
}

describe('createRefusalDelay', () => {
  it.each([
    ['has not ended', () => {}],
    ['found a wrong password', ({ resolve }: ReturnType<ReturnType<typeof createDelay>['refuse']>) => resolve(false)],
  ])('refuses after a second when the check %s, and aborts the signal of the check', async (_, endCheck) => {
    const { system, refuse } = createDelay()
    const attempt = refuse()
    endCheck(attempt)
    await nextTurn()
    expect([system.timers(), attempt.outcome(), attempt.isAborted()]).toEqual([[1_000], 'waits', [false]])
    system.fireTimers()
    await nextTurn()
    expect([attempt.outcome(), attempt.isAborted()]).toEqual([refusal, [true]])
  })

  it('resolves immediately when the password is right', async () => {
    const { system, refuse } = createDelay()
    const attempt = refuse()
    attempt.resolve(true)
    await nextTurn()
    expect([system.timers(), attempt.outcome()]).toEqual([[], true])
  })

  it('rejects with the error of the check at the time of a refusal', async () => {
    const { system, refuse } = createDelay()
    const attempt = refuse()
    const fault = new AuthError('jwt_auth_unavailable')
    attempt.reject(fault)
    await nextTurn()
    expect(attempt.outcome()).toBe('waits')
    system.fireTimers()
    await nextTurn()
    expect(attempt.outcome()).toBe(fault)
  })

  it.each([
    ['the client disconnects', 'client'],
    ['the service closes', 'closing'],
  ] as const)('refuses immediately when %s', async (_, by) => {
    const { system, closing, refuse } = createDelay()
    const client = new AbortController()
    const attempt = refuse(client.signal)
    const ends = { client, closing }
    ends[by].abort()
    await nextTurn()
    expect([system.timers(), attempt.outcome(), attempt.isAborted()]).toEqual([[], refusal, [true]])
  })

  it('refuses without a check when the client has disconnected already', async () => {
    const { refuse } = createDelay()
    const attempt = refuse(AbortSignal.abort())
    await nextTurn()
    expect([attempt.outcome(), attempt.isAborted()]).toEqual([refusal, []])
  })

  it.each([
    [[], 5_000],
    [[250], 1_000],
    [[501], 2_000],
    [[1_700], 4_000],
    [[60_000], 5_000],
    // The clock was set back.
    [[-3_600_000], 1_000],
    // One slow check among many changes little.
    [[250, 250, 250, 2_000], 1_000],
  ])('delays, after checks of %j ms, by %i ms', (took, delayMs) => {
    const { system, refuse } = createDelay(took)
    refuse()
    expect(system.timers()).toEqual([delayMs])
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
  const attempt = (username: string, password: string = wrong) => service.login({ username, password }, { address })
  await attempt('ann', ann.password)
  for (let count = 0; count < 3; count += 1) await attempt(`name-${count}`).catch(() => {})
  isSlow = true
  return { system, service, address, attempt }
}

describe('the refusal of a login', () => {
  it.each([
    ['whose password was checked', 'ann'],
    ['whose password was not checked', 'bob'],
    ['of an unknown user', 'nobody'],
  ])('is sent after one second for a login %s', async (_, username) => {
    const { system, attempt } = await createUsedUpService()
    const start = system.now()
    const ended = attempt(username).catch(() => system.now() - start)
    await system.runFor(5_000)
    expect(await ended).toBe(1_000)
  })

  it('is sent after one second for each of many concurrent logins', async () => {
    const { system, attempt } = await createUsedUpService()
    const start = system.now()
    const names = Array.from({ length: 300 }, (_, place) => (place % 3 === 0 ? 'ann' : `name-${place}`))
    const ended = Promise.all(names.map((name) => attempt(name).catch(() => system.now() - start)))
    await system.runFor(5_000)
    expect(new Set(await ended)).toEqual(new Set([1_000]))
  })

  it('is sent after one second for requirePassword', async () => {
    const { system, service, address } = await createUsedUpService()
    const start = system.now()
    const ended = service.requirePassword('bob-2', wrong, { address }).catch(() => system.now() - start)
    await system.runFor(5_000)
    expect(await ended).toBe(1_000)
  })
})

describe('thousands of delayed refusals', () => {
  it('do not prevent a login from a known network', async () => {
    const test = createAttackedService({
      system: createTestSystem(),
      rateLimits: { account: { points: 1, durationSeconds: 600 } },
    })
    await test.attempt({ from: addressOf(1) })
    await test.failFrom(addressOf(2), 1)
    const waiting = Array.from({ length: 5_000 }, (_, number) => test.failFrom(addressOf(3 + (number % 10)), 1))
    await nextTurn()
    expect(await test.attempt({ from: addressOf(1) })).toBe('in')
    await test.service.close()
    await Promise.all(waiting)
  })
})
