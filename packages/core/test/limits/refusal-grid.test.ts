import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { createRefusalDelay } from '../../src/limits/refusal-delay.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'
import { nextTurn } from '../support/next-turn.js'
import { createTestDirectory } from '../support/test-directory.js'
import { createTestSystem } from '../support/test-system.js'

const limit = { points: 3, durationSeconds: 60 }

/** A service in which the check of a password takes as long as the test says. */
const createSlowService = ({ checkMs = 200 } = {}) => {
  const system = createTestSystem()
  const directory = createTestDirectory()
  let takes = checkMs
  let waits = false
  const test = createAttackedService({
    system,
    rateLimits: { network: limit },
    users: {
      ...directory,
      verifyPassword: async (user, password) => {
        if (waits) await new Promise<void>((resolve) => system.startTimer(takes, resolve))
        else system.advance(takes)
        return directory.verifyPassword(user, password)
      },
    },
  })
  const from = addressOf(1)
  const failElsewhere = async () => {
    for (let count = 0; count < limit.points; count += 1) await test.failFrom(from, 1, `name-${count}`)
  }
  const attempt = (username: string, signal?: AbortSignal) =>
    test.service.authenticate({ username, password: wrong }, { address: from, signal })
  return {
    ...test,
    system,
    login: () => test.attempt({ from }),
    failElsewhere,
    attempt,
    /** From now on the test moves the time of a check, as it moves the time of a refusal. */
    waitInChecks: () => {
      waits = true
    },
    setCheckMs: (next: number) => {
      takes = next
    },
  }
}

/** Whether a promise has settled once everything has run that does not wait for a timer. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  promise
    .catch(() => {})
    .finally(() => {
      settled = true
    })
  await nextTurn()
  return settled
}

describe('an attempt that is refused without a check', () => {
  it('takes as long as a check of a wrong password took', async () => {
    const { failElsewhere, attempt, system } = createSlowService()
    await failElsewhere()
    const refused = attempt('nobody')
    expect(await isSettled(refused)).toBe(false)
    expect(system.timers()).toEqual([200])
    system.fireTimers()
    await expect(refused).rejects.toMatchObject({ code: 'jwt_auth_rate_limited' })
  })

  it('takes as long as the check at a known pair that is refused too, whatever other checks take', async () => {
    const { failElsewhere, attempt, login, system, setCheckMs } = createSlowService()
    await login()
    await failElsewhere()
    setCheckMs(350)
    const before = system.now()
    await expect(attempt('ann')).rejects.toMatchObject({ code: 'jwt_auth_rate_limited' })
    expect([system.now() - before, system.timers()]).toEqual([350, []])
    const refused = attempt('nobody')
    await nextTurn()
    expect(system.timers()).toEqual([350])
    system.fireTimers()
    await expect(refused).rejects.toMatchObject({ code: 'jwt_auth_rate_limited' })
  })

  it.each([
    ['the client disconnects', (client: AbortController) => client.abort()],
    ['the service closes', (_: AbortController, close: () => unknown) => close()],
  ])('ends when %s', async (_, end) => {
    const { failElsewhere, attempt, service, system } = createSlowService()
    await failElsewhere()
    const client = new AbortController()
    const refused = attempt('nobody', client.signal)
    expect(await isSettled(refused)).toBe(false)
    end(client, () => service.close())
    await expect(refused).rejects.toMatchObject({ code: 'jwt_auth_rate_limited' })
    expect(system.timers()).toEqual([])
  })

  it('does not wait for a client that has disconnected already', async () => {
    const { failElsewhere, attempt, system } = createSlowService()
    await failElsewhere()
    await expect(attempt('nobody', AbortSignal.abort())).rejects.toMatchObject({ code: 'jwt_auth_rate_limited' })
    expect(system.timers()).toEqual([])
  })

  it('checks a password of nobody where no check was measured yet, once for all that wait', async () => {
    const directory = createTestDirectory()
    const { system, service, hashes, guesses } = createAttackedService({
      rateLimits: { account: limit },
      users: {
        ...directory,
        verifyPassword: async () => {
          await nextTurn()
          return false
        },
      },
    })
    const attempts = Array.from({ length: 20 }, (_, number) =>
      service.authenticate({ username: 'ann', password: wrong }, { address: addressOf(number) }),
    )
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect([guesses(), hashes(), system.timers()]).toEqual([3, 4, []])
  })

  it.each(['ann', 'nobody'])(
    'takes turns with other attempts at the same user from the network: %s',
    async (username) => {
      const { failElsewhere, attempt, login, system, waitInChecks } = createSlowService()
      await login()
      await failElsewhere()
      waitInChecks()
      const start = system.now()
      const ends: number[] = []
      const attempts = Array.from({ length: 12 }, () =>
        attempt(username).catch(() => {
          ends.push(system.now() - start)
        }),
      )
      for (let turn = 0; turn < 12; turn += 1) {
        await nextTurn()
        if (system.timers().length === 0) continue
        expect(system.timers()).toEqual([200])
        system.advance(200)
        system.fireTimers()
      }
      await Promise.all(attempts)
      // Two are more than may wait.
      expect(ends).toEqual([0, 0, ...Array.from({ length: 10 }, (_, place) => (place + 1) * 200)])
    },
  )

  it('is refused as before where the check at a known pair finds the hashing queue full', async () => {
    const test = createAttackedService()
    let isFull = false
    const { attempt, failFrom } = createAttackedService({
      rateLimits: { network: limit },
      users: {
        ...test.users,
        verifyPassword: async (user, password) => {
          if (isFull) throw new AuthError('jwt_auth_unavailable', { retryAfterSeconds: 5 })
          return test.users.verifyPassword(user, password)
        },
      },
    })
    await attempt({ from: addressOf(1) })
    for (let count = 0; count < 3; count += 1) await failFrom(addressOf(1), 1, `name-${count}`)
    isFull = true
    expect(await attempt({ from: addressOf(1), password: wrong })).toEqual({ throttled: 60 })
    expect(await attempt({ from: addressOf(1), username: 'nobody' })).toEqual({ throttled: 60 })
  })
})

describe('the delay of refusals', () => {
  const createDelay = () => {
    const system = createTestSystem()
    const delay = createRefusalDelay({ ...system, closing: new AbortController().signal })
    const error = new AuthError('jwt_auth_rate_limited')
    const refuse = async (elapsedMs = 0) => {
      const startedAt = system.now() - elapsedMs
      const refused = delay.refuse(error, { startedAt, signal: undefined, checkNobody: async () => {} })
      refused.catch(() => {})
      await nextTurn()
      const [timer] = system.timers()
      system.fireTimers()
      await expect(refused).rejects.toBe(error)
      return timer
    }
    return { delay, refuse }
  }

  it('counts the time that has passed since the start', async () => {
    const { delay, refuse } = createDelay()
    delay.record(200, 'refused')
    expect(await refuse(60)).toBe(140)
    expect(await refuse(200)).toBeUndefined()
  })

  it('is drawn from all of the last 32 checks at known pairs that ended in a refusal', async () => {
    const { delay, refuse } = createDelay()
    for (let ms = 1; ms <= 40; ms += 1) {
      delay.record(ms, 'refused')
      delay.record(5_000, 'reserved')
    }
    const drawn = new Set<number | undefined>()
    for (let count = 0; count < 1_000; count += 1) drawn.add(await refuse())
    expect([...drawn].toSorted((one, other) => Number(one) - Number(other))).toEqual(
      Array.from({ length: 32 }, (_, place) => place + 9),
    )
  })

  it.each([
    [3_600_000, 30_000],
    [-3_600_000, undefined],
  ])('of a check that took %i ms because the clock was set is %s', async (measured, expected) => {
    const { delay, refuse } = createDelay()
    delay.record(measured, 'refused')
    expect(await refuse()).toBe(expected)
  })
})
