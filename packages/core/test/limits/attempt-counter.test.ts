import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { nextTurn } from '@jwt-auth/test-support/next-turn'
import { createTestSystem } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import { type AttemptLimits, type Bucket, createAttemptCounter } from '../../src/limits/attempt-counter.js'
import { createMemoryLimiter, type Limiter } from '../../src/limits/limiter.js'
import type { LimitExceeded } from '../../src/limits/rate-limits.js'
import { addressOf, createAttackedService } from '../support/login-attempts.js'

const bucketOf = (key: string, points: number): Bucket => ({
  key,
  points,
  windowMs: 60_000,
  limit: 'network',
  network: `network of ${key}`,
})

const createCounter = () => {
  const system = createTestSystem()
  const exceeded: LimitExceeded[] = []
  const store = createMemoryLimiter()
  const gate = createCallGate(store)
  const count = createAttemptCounter({
    limiter: gate.port,
    maxCallsInFlight: 4,
    now: system.now,
    monotonicMs: system.monotonicMs,
    onExceeded: (limit) => exceeded.push(limit),
  })
  const isRefused = async (limits: AttemptLimits): Promise<boolean> => (await count(limits)).refusal !== undefined
  return { ...gate, store, system, exceeded, count, isRefused }
}

describe('a successful login', () => {
  it.each([
    ['IPv4', '192.0.2.1'],
    ['IPv6', '2001:db8::1'],
  ])(
    'makes two calls of the limiter, one after the other, on a new network and on a known one: %s',
    async (_, from) => {
      const { port: limiter, calls } = createCallGate(createMemoryLimiter())
      const { attempt } = createAttackedService({ rateLimits: { limiter } })
      expect([await attempt({ from }), ...calls.splice(0)]).toEqual(['in', 'reserve', 'refund'])
      expect([await attempt({ from }), ...calls.splice(0)]).toEqual(['in', 'reserve', 'refund'])
    },
  )
})

describe('a failed login', () => {
  it('makes one call of the limiter, and none while a limit is used up', async () => {
    const { port: limiter, calls } = createCallGate(createMemoryLimiter())
    const { failFrom } = createAttackedService({ rateLimits: { limiter } })
    await failFrom(addressOf(1), 10)
    expect(calls.splice(0)).toEqual(Array(10).fill('reserve'))
    await failFrom(addressOf(1), 1)
    expect(calls.splice(0)).toEqual(['reserve', 'refund'])
    await failFrom(addressOf(1), 20)
    expect(calls).toEqual([])
  })

  it('makes no call for a name that was tried within a second while the limit of the network is used up', async () => {
    const { port: limiter, calls } = createCallGate(createMemoryLimiter())
    const { failFrom, system } = createAttackedService({
      rateLimits: { limiter, network: { points: 1, durationSeconds: 60 } },
    })
    await failFrom(addressOf(1), 2, 'another')
    calls.length = 0
    await failFrom(addressOf(1), 20, 'ann')
    expect(calls.splice(0)).toEqual(['reserve', 'refund'])
    system.advance(1_000)
    await failFrom(addressOf(1), 20, 'ann')
    expect(calls).toEqual(['reserve', 'refund'])
  })
})

describe('a refusal', () => {
  const limits = { forAll: [bucketOf('a', 2)] }

  it('is remembered until the window ends, and the limiter is asked again once a second', async () => {
    const { isRefused, system, calls } = createCounter()
    expect([await isRefused(limits), await isRefused(limits), await isRefused(limits)]).toEqual([false, false, true])
    calls.length = 0
    system.advance(999)
    expect([await isRefused(limits), ...calls]).toEqual([true])
    system.advance(1)
    expect([await isRefused(limits), await isRefused(limits), ...calls]).toEqual([true, true, 'reserve', 'refund'])
    system.advance(59_000)
    expect(await isRefused(limits)).toBe(false)
  })

  it('has the time until the window ends, also when it is remembered', async () => {
    const { count, system } = createCounter()
    for (let attempts = 0; attempts < 3; attempts += 1) await count(limits)
    system.advance(500)
    expect((await count(limits)).refusal).toMatchObject({ code: 'jwt_auth_rate_limited', retryAfterSeconds: 60 })
    system.advance(30_000)
    expect((await count(limits)).refusal).toMatchObject({ retryAfterSeconds: 30 })
  })

  it('ends when this instance refunds an attempt', async () => {
    const { count, isRefused } = createCounter()
    const { refund } = await count(limits)
    await count(limits)
    expect(await isRefused(limits)).toBe(true)
    await refund({})
    expect([await isRefused(limits), await isRefused(limits)]).toEqual([false, true])
  })

  it('ends within a second when another instance refunds an attempt', async () => {
    const { isRefused, store, system } = createCounter()
    await store.reserve(limits.forAll, { now: system.now() })
    const { windows } = await store.reserve(limits.forAll, { now: system.now() })
    expect(await isRefused(limits)).toBe(true)
    await store.refund(windows, { now: system.now() })
    await store.refund(windows, { now: system.now() })
    expect(await isRefused(limits)).toBe(true)
    system.advance(1_000)
    expect([await isRefused(limits), await isRefused(limits), await isRefused(limits)]).toEqual([false, false, true])
  })

  it('is announced once in a window, with the first limit that refuses', async () => {
    const { count, isRefused, system, exceeded } = createCounter()
    const both = { forAll: [bucketOf('a', 1), bucketOf('b', 1)] }
    const announced = { limit: 'network', network: 'network of a' }
    const { refund } = await count(both)
    await isRefused(both)
    await isRefused(both)
    await refund({})
    await isRefused(both)
    system.advance(1_000)
    await isRefused(both)
    expect(exceeded).toEqual([announced])
    system.advance(60_000)
    await isRefused(both)
    await isRefused(both)
    expect(exceeded).toEqual([announced, announced])
  })

  it('leaves the other counts as they were', async () => {
    const { count, store, system } = createCounter()
    const both = { forAll: [bucketOf('a', 9), bucketOf('b', 1)], forKnown: [bucketOf('c', 9)], mark: 'm' }
    for (let attempts = 0; attempts < 5; attempts += 1) await count(both)
    expect(await store.reserve([...both.forAll, ...both.forKnown], { now: system.now() })).toMatchObject({
      windows: [{ count: 2 }, { count: 2 }, { count: 2 }],
    })
  })
})

describe('the limits of a known network', () => {
  const limits = { forAll: [bucketOf('a', 1)], forKnown: [bucketOf('b', 3)], mark: 'm' }

  /** Returns whether the attempt is refused, and whether its network is known. */
  const outcomeOf = async ({ count }: ReturnType<typeof createCounter>): Promise<readonly boolean[]> => {
    const { refusal, isKnown } = await count(limits)
    return [refusal !== undefined, isKnown]
  }

  it('allow attempts that the limits for everybody refuse, as many as their own limit', async () => {
    const counter = createCounter()
    const { refund } = await counter.count(limits)
    await refund({ mark: { key: 'm', endsAt: counter.system.now() + 60_000 } })
    expect(await outcomeOf(counter)).toEqual([false, true])
    expect([await outcomeOf(counter), await outcomeOf(counter)]).toEqual([
      [true, true],
      [true, true],
    ])
    expect(await outcomeOf(counter)).toEqual([true, false])
    expect(counter.exceeded).toHaveLength(1)
  })

  it('apply as soon as this instance marks the network', async () => {
    const counter = createCounter()
    const { refund } = await counter.count(limits)
    expect(await outcomeOf(counter)).toEqual([true, false])
    await refund({ mark: { key: 'm', endsAt: counter.system.now() + 60_000 } })
    expect([await outcomeOf(counter), await outcomeOf(counter)]).toEqual([
      [false, true],
      [true, true],
    ])
  })

  it('count only attempts that the limits for everybody allow while the network is unknown', async () => {
    const counter = createCounter()
    for (let attempts = 0; attempts < 9; attempts += 1) {
      await outcomeOf(counter)
      counter.system.advance(1_000)
    }
    expect(await counter.store.reserve(limits.forKnown, { now: counter.system.now() })).toMatchObject({
      windows: [{ count: 2 }],
    })
  })
})

describe('the calls of a limiter', () => {
  const limitsOf = (key: number): AttemptLimits => ({ forAll: [bucketOf(String(key), 9)] })

  it('are at most four at a time, in the order of the attempts', async () => {
    const { count, hold, held, open, calls } = createCounter()
    hold('reserve')
    const attempts = Array.from({ length: 20 }, (_, key) => count(limitsOf(key)))
    const [first] = await held('reserve', 4)
    await nextTurn()
    expect(calls).toHaveLength(4)
    first?.release()
    await held('reserve', 4)
    await nextTurn()
    expect(calls).toHaveLength(5)
    open('reserve')
    await Promise.all(attempts)
    expect(calls).toHaveLength(20)
  })

  it('refund before they count further attempts', async () => {
    const { count, hold, held, open, calls } = createCounter()
    const { refund } = await count(limitsOf(0))
    hold('reserve')
    const attempts = Array.from({ length: 20 }, (_, key) => count(limitsOf(key)))
    await held('reserve', 4)
    const refunded = refund({})
    calls.length = 0
    open('reserve')
    await Promise.all([...attempts, refunded])
    expect(calls.indexOf('refund')).toBeLessThan(4)
  })

  it('do not include attempts whose client disconnected while they waited', async () => {
    const { count, hold, held, open, calls } = createCounter()
    const client = new AbortController()
    hold('reserve')
    const attempts = Array.from({ length: 4 }, (_, key) => count(limitsOf(key)))
    await held('reserve', 4)
    const left = count({ ...limitsOf(5), signal: client.signal })
    client.abort()
    open('reserve')
    await expect(left).rejects.toMatchObject({ code: 'jwt_auth_invalid_request' })
    await Promise.all(attempts)
    expect(calls).toHaveLength(4)
  })

  it('are none for a refund of nothing', async () => {
    const { count, calls } = createCounter()
    const { refund } = await count({ forAll: [bucketOf('a', 9)] })
    await refund({ except: 'network' })
    expect(calls).toEqual(['reserve'])
  })
})

describe('attempts that wait for the limiter', () => {
  it('take turns by network, so that a flood from one delays another by one attempt', async () => {
    const store = createMemoryLimiter()
    const keys: string[] = []
    const limiter: Limiter = {
      ...store,
      reserve: (counts, options) => {
        keys.push(...counts.map(({ key }) => key))
        return store.reserve(counts, options)
      },
    }
    const system = createTestSystem()
    const count = createAttemptCounter({ ...system, limiter, maxCallsInFlight: 1, onExceeded: () => {} })
    const attempt = (key: string, network: string) => count({ forAll: [{ ...bucketOf(key, 9), network }] })
    const flood = Array.from({ length: 5 }, (_, index) => attempt(`flood-${index}`, `2001:db8:0:${index}::/64`))
    await Promise.all([...flood, attempt('other', '192.0.2.1')])
    expect(keys.indexOf('other')).toBe(2)
  })
})
