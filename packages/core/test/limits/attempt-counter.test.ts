import { setImmediate as nextTurn } from 'node:timers/promises'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import type { LimitExceeded } from '../../src/events/auth-event.js'
import {
  type AttemptLimits,
  type Bucket,
  type CountedBucket,
  createAttemptCounter,
  decideAttempt,
} from '../../src/limits/attempt-counter.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'
import { addressOf, createAttackedService } from '../support/login-attempts.js'

const bucketOf = (key: string, points: number, isForKnown = false): Bucket => ({
  key,
  points,
  durationSeconds: 60,
  limit: 'network',
  network: `network of ${key}`,
  isForKnown,
})

const limitsOf = (...buckets: readonly Bucket[]): AttemptLimits => ({ buckets, network: buckets[0]?.network ?? '' })

const createCounter = (maxCallsInFlight = 4) => {
  const system = createTestSystem()
  const exceeded: LimitExceeded[] = []
  const store = createMemoryLimiter()
  const gate = createCallGate(store)
  const { count, refund } = createAttemptCounter({
    ...system,
    limiter: gate.port,
    maxCallsInFlight,
    onExceeded: (limit) => exceeded.push(limit),
  })
  const isRefused = async (limits: AttemptLimits): Promise<boolean> => (await count(limits)).refusal !== undefined
  return { ...gate, store, system, exceeded, count, refund, isRefused }
}

describe('decideAttempt', () => {
  // `a3/2` is the third attempt at a limit of two for everybody, `K3/2` at a limit for known networks.
  const read = (text: string): readonly CountedBucket[] =>
    [...text.matchAll(/(\w)(\d)\/(\d)/g)].map(([, key = '', count, points]) => ({
      bucket: bucketOf(key, Number(points), key < 'a'),
      window: { key, count: Number(count), endsAt: 1 },
    }))

  it.each<[string, string, boolean, string, string | undefined, boolean, string]>([
    ['allows and keeps an attempt at an unknown network', 'a2/2 K1/2', false, '', undefined, false, ''],
    ['allows and keeps an attempt at a known network', 'a2/2 K2/2', true, '', undefined, true, ''],
    ['refuses by the first limit, and keeps nothing', 'a1/2 b3/2 c3/2 K1/2', false, '', 'b', false, 'abcK'],
    ['keeps the counts of a known network', 'a3/2 b1/2 K1/2 L1/2', true, '', 'a', true, 'ab'],
    [
      'keeps nothing when the limits of a known network are used up, too',
      'a3/2 K3/2 L1/2',
      true,
      '',
      'a',
      false,
      'aKL',
    ],
    ['allows an attempt whose network has used up its own limits only', 'a1/2 K3/2', true, '', undefined, false, 'K'],
    ['counts a known network after an earlier refusal', 'K1/2', true, 'x', 'x', true, ''],
    ['counts no unknown network after an earlier refusal', 'K1/2', false, 'x', 'x', false, 'K'],
  ])('%s', (_, counted, isMarked, before, refusal, isKnown, refunded) => {
    const refusedBefore = before === '' ? undefined : bucketOf(before, 1)
    const decision = decideAttempt(read(counted), { isMarked, refusedBefore })
    expect([decision.refusal?.key, decision.isKnown]).toEqual([refusal, isKnown])
    expect(decision.toRefund.map(({ bucket }) => bucket.key).join('')).toBe(refunded)
  })
})

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
  const limits = limitsOf(bucketOf('a', 2))

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
    const { count, refund, isRefused } = createCounter()
    const attempt = await count(limits)
    await count(limits)
    expect(await isRefused(limits)).toBe(true)
    await refund(attempt, {})
    expect([await isRefused(limits), await isRefused(limits)]).toEqual([false, true])
  })

  it('ends within a second when another instance refunds an attempt', async () => {
    const { isRefused, store, system } = createCounter()
    await store.reserve(limits.buckets, { now: system.now() })
    const { windows } = await store.reserve(limits.buckets, { now: system.now() })
    expect(await isRefused(limits)).toBe(true)
    await store.refund(windows, { now: system.now() })
    await store.refund(windows, { now: system.now() })
    expect(await isRefused(limits)).toBe(true)
    system.advance(1_000)
    expect([await isRefused(limits), await isRefused(limits), await isRefused(limits)]).toEqual([false, false, true])
  })

  it('is announced once in a window, with the first limit that refuses', async () => {
    const { count, refund, isRefused, system, exceeded } = createCounter()
    const both = limitsOf(bucketOf('a', 1), bucketOf('b', 1))
    const announced = { limit: 'network', network: 'network of a' }
    const attempt = await count(both)
    await isRefused(both)
    await isRefused(both)
    await refund(attempt, {})
    await isRefused(both)
    system.advance(1_000)
    await isRefused(both)
    expect(exceeded).toEqual([announced])
    system.advance(60_000)
    await isRefused(both)
    await isRefused(both)
    expect(exceeded).toEqual([announced, announced])
  })

  it('does not apply to a network from the moment in which this instance marks it', async () => {
    const { count, refund, system } = createCounter()
    const known = { ...limitsOf(bucketOf('a', 1), bucketOf('K', 3, true)), mark: 'm' }
    const attempt = await count(known)
    expect(await count(known)).toMatchObject({ refusal: { code: 'jwt_auth_rate_limited' }, isKnown: false })
    await refund(attempt, { mark: { key: 'm', endsAt: system.now() + 60_000 } })
    expect(await count(known)).toMatchObject({ refusal: undefined, isKnown: true })
    expect(await count(known)).toMatchObject({ refusal: { code: 'jwt_auth_rate_limited' }, isKnown: true })
  })
})

describe('the calls of a limiter', () => {
  const limitsAt = (key: number): AttemptLimits => limitsOf(bucketOf(String(key), 9))

  it('are at most four at a time, and refund before they count further attempts', async () => {
    const { count, refund, hold, held, open, calls } = createCounter()
    const attempt = await count(limitsAt(0))
    calls.length = 0
    hold('reserve')
    const attempts = Array.from({ length: 20 }, (_, key) => count(limitsAt(key)))
    await held('reserve', 4)
    const refunded = refund(attempt, {})
    await nextTurn()
    expect(calls).toEqual(Array(4).fill('reserve'))
    open('reserve')
    await Promise.all([...attempts, refunded])
    expect(calls.indexOf('refund')).toBe(4)
    expect(calls).toHaveLength(21)
  })

  it('do not include attempts whose client disconnected while they waited', async () => {
    const { count, hold, held, open, calls } = createCounter(1)
    const client = new AbortController()
    hold('reserve')
    const first = count(limitsAt(0))
    await held('reserve')
    const left = count({ ...limitsAt(1), signal: client.signal })
    client.abort()
    await expect(left).rejects.toMatchObject({ code: 'jwt_auth_invalid_request' })
    open('reserve')
    await first
    expect(calls).toHaveLength(1)
  })

  it('are none for a refund of nothing', async () => {
    const { count, refund, calls } = createCounter()
    await refund(await count(limitsAt(0)), { except: 'network' })
    expect(calls).toEqual(['reserve'])
  })

  it('take turns by network, so that a flood from one delays another by one attempt', async () => {
    const { count, hold, held, open } = createCounter(1)
    hold('reserve')
    const attempt = (network: string) => count({ ...limitsAt(0), network })
    let floods = 0
    const flood = Array.from({ length: 5 }, async (_, index) => {
      await attempt(`2001:db8:0:${index}::/64`)
      floods += 1
    })
    await held('reserve')
    const other = attempt('192.0.2.1').then(() => floods)
    open('reserve')
    await Promise.all(flood)
    expect(await other).toBeLessThanOrEqual(2)
  })
})
