import { setImmediate as nextTurn } from 'node:timers/promises'
import { AuthError, isAuthError } from '@jwt-auth/core'
import { calls, type HashingPriority, type TracedCall } from '@jwt-auth/core/internal'
import { callUntyped, rejectionOf } from '@jwt-auth/test-support/outcome'
import { recordCalls } from '@jwt-auth/test-support/recorders'
import { createTestSystem, type TestSystem, withSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { defaultConcurrency, type HashingQueueOptions } from '../src/hashing-queue.js'
import { createHashingQueue, type HashingQueue } from '../src/index.js'

interface Entrant {
  readonly name: string
  /** What `run` resolved to or was rejected with. `undefined` while it is pending. */
  readonly outcome: () => unknown
  readonly finish: () => void
  readonly fail: (reason: unknown) => void
}

/** A queue whose work starts and ends when the test says so. */
const createTestQueue = (options: HashingQueueOptions = {}) => {
  const system: TestSystem = createTestSystem()
  const queue: HashingQueue = createHashingQueue({ concurrency: 2, maxQueued: 2, ...options, ...withSystem(system) })
  const begun: string[] = []

  const enter = async (name: string, priority?: HashingPriority): Promise<Entrant> => {
    let outcome: unknown
    let finish = (): void => {}
    let fail: Entrant['fail'] = () => {}
    const held = new Promise<string>((resolve, reject) => {
      finish = () => resolve(`${name} is done`)
      fail = reject
    })
    const work = () => {
      begun.push(name)
      return held
    }
    queue.run(work, priority).then(
      (result) => {
        outcome = result
      },
      (reason) => {
        outcome = reason
      },
    )
    await nextTurn()
    return { name, outcome: () => outcome, finish, fail }
  }

  return { queue, begun, enter, system }
}

const busy = { code: 'jwt_auth_unavailable', retryAfterSeconds: 5 }

describe('the hashing queue', () => {
  it('runs `concurrency` checks at the same time, and the next check when one ends', async () => {
    const { begun, enter } = createTestQueue()
    const first = await enter('first')
    await enter('second')
    await enter('third')
    expect(begun).toEqual(['first', 'second'])
    first.finish()
    await nextTurn()
    expect(begun).toEqual(['first', 'second', 'third'])
    expect(first.outcome()).toBe('first is done')
  })

  it('applies the timeout to the wait, not to the work', async () => {
    const { enter, system } = createTestQueue({ concurrency: 1 })
    const first = await enter('first')
    expect(system.timers()).toEqual([])
    const second = await enter('second')
    first.finish()
    await nextTurn()
    expect(system.timers()).toEqual([])
    second.finish()
    await nextTurn()
    expect(second.outcome()).toBe('second is done')
  })

  it('explains a refusal in its detail, and the bound and the fix in its cause', async () => {
    const { enter, system } = createTestQueue({ concurrency: 1, maxQueued: 1 })
    await enter('first')
    const second = await enter('second')
    const third = await enter('third')
    system.fireTimers()
    await nextTurn()
    expect(third.outcome()).toMatchObject({
      detail: 'the hashing queue is full',
      cause: { message: expect.stringMatching(/\(maxQueued: 1\)\. Start more processes, or raise `concurrency`/) },
    })
    expect(second.outcome()).toMatchObject({
      detail: 'the wait in the hashing queue timed out',
      cause: {
        message: expect.stringMatching(/\(queueTimeoutMs: 5000\)\. Start more processes, or raise `concurrency`/),
      },
    })
  })

  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('sets retryAfterSeconds as before when the clock is set %s by an hour during a hash', async (_, stepMs) => {
    const { enter, system } = createTestQueue({ concurrency: 1, maxQueued: 1 })
    const first = await enter('first')
    system.stepMs(stepMs)
    system.advance(1_000)
    first.finish()
    const [, , refused] = [await enter('second'), await enter('third'), await enter('fourth')]
    expect(refused.outcome()).toMatchObject({ retryAfterSeconds: 2 })
  })

  it('sets retryAfterSeconds to `queueTimeoutMs` before the first hash has ended', async () => {
    const { enter } = createTestQueue({ concurrency: 1, maxQueued: 0, queueTimeoutMs: 1_200 })
    await enter('first')
    expect((await enter('second')).outcome()).toMatchObject({ code: 'jwt_auth_unavailable', retryAfterSeconds: 2 })
  })

  it.each([1, 2])(
    'sets retryAfterSeconds to the estimated duration of the checks ahead, %i at a time',
    async (concurrency) => {
      const { enter, system } = createTestQueue({ concurrency, maxQueued: 20, queueTimeoutMs: 60_000 })
      const first = await enter('first')
      system.advance(3_000)
      first.finish()
      await nextTurn()
      if (concurrency === 2) await enter('second')
      for (const number of [1, 2, 3, 4, 5]) await enter(`attacker ${number}`, { isKnown: false, network: '192.0.2.1' })
      const busiest = await enter('busiest', { isKnown: false, network: '192.0.2.1' })
      await enter('quiet', { isKnown: false, network: '192.0.2.2' })
      const late = await enter('late', { isKnown: false, network: '192.0.2.1' })
      // As many as may run, four and five of its network wait, and of each other network one.
      expect(busiest.outcome()).toBeUndefined()
      const retryAfterSeconds = Math.ceil(((5 + 1 + 1) * 3) / concurrency)
      expect(late.outcome()).toMatchObject({ code: 'jwt_auth_unavailable', retryAfterSeconds })
    },
  )

  it('records whether a refused check was of a known pair', async () => {
    const { enter } = createTestQueue({ concurrency: 1, maxQueued: 0 })
    await enter('first')
    const refused = [
      await enter('known', { isKnown: true, network: '192.0.2.1' }),
      await enter('other', { isKnown: false, network: '192.0.2.1' }),
      await enter('app'),
    ]
    const read = refused.map(({ outcome }) => {
      const error = outcome()
      return error instanceof AuthError ? error.refusal : undefined
    })
    expect(read).toEqual([true, false, false].map((isKnown) => ({ reason: 'queue', isKnown })))
  })

  it.each<[string, (number: number) => HashingPriority]>([
    ['network', () => ({ isKnown: false, network: '192.0.2.1' })],
    ['user', (number) => ({ isKnown: true, network: `192.0.2.${number}`, user: 'ann' })],
  ])('explains the refusal of one %s in its detail', async (one, toPriority) => {
    const { enter } = createTestQueue({ concurrency: 1, maxQueued: 4 })
    await enter('first', toPriority(1))
    await enter('second', toPriority(2))
    expect((await enter('third', toPriority(3))).outcome()).toMatchObject({
      ...busy,
      detail: `too many logins of one ${one} wait in the hashing queue`,
    })
  })

  it('runs the next check after work that throws synchronously', async () => {
    const { queue, begun, enter } = createTestQueue({ concurrency: 1 })
    const failure = new Error('thrown')
    const thrown = queue.run(() => {
      throw failure
    })
    expect(await rejectionOf(thrown)).toBe(failure)
    await enter('next')
    expect(begun).toEqual(['next'])
  })

  it.each([
    [{ concurrency: 0 }, 'option `concurrency` must be a whole number of hashes from 1 to 1022; received 0.'],
    [{ maxQueued: -1 }, 'option `maxQueued` must be a whole number of logins from 0 to 100000; received -1.'],
    [{ queueTimeoutMs: 9 }, 'option `queueTimeoutMs` must be a whole number of milliseconds from 10 to 60000; rec'],
    [{ threads: 4 }, 'createHashingQueue has no option `threads`; known options: concurrency, maxQueued, queueTime'],
    [null, 'the options of createHashingQueue must be an object; received null.'],
  ])('names an invalid option: %j', (options, message) => {
    expect(() => callUntyped(createHashingQueue, options)).toThrow(`jwt-auth: ${message}`)
  })

  it('publishes each wait, with the refusal, and each hash on tracing channels', async () => {
    const waits = recordCalls(calls.hashingWait)
    const hashes = recordCalls(calls.hashing)
    const { enter } = createTestQueue({ concurrency: 1, maxQueued: 1 })
    const first = await enter('first')
    const second = await enter('second')
    await enter('third')
    expect([waits.map(toReason), hashes.length]).toEqual([[undefined, 'queue'], 0])
    first.finish()
    await nextTurn()
    second.fail(new Error('boom'))
    await nextTurn()
    expect(waits.map(toReason)).toEqual([undefined, 'queue', undefined])
    expect(hashes).toEqual([{}, { error: new Error('boom') }])
  })
})

describe('defaultConcurrency', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [64, 2],
  ])('returns, for %i processors, %i', (processors, running) => {
    expect(defaultConcurrency(processors)).toBe(running)
  })
})

const toReason = ({ error }: TracedCall): string | undefined => (isAuthError(error) ? error.refusal?.reason : undefined)
