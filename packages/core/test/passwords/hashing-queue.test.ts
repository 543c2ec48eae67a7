import { describe, expect, it } from 'vitest'
import { createHashingQueue, type HashingQueue, type HashingQueueOptions } from '../../src/index.js'
import { defaultRunning } from '../../src/passwords/hashing-queue.js'
import { callUntyped } from '../support/call-untyped.js'
import { nextTurn } from '../support/next-turn.js'
import { rejectionOf } from '../support/outcome.js'
import { createTestSystem, type TestSystem } from '../support/test-system.js'

interface Entrant {
  readonly name: string
  /** How `run` settled; `undefined` while it has not. */
  readonly outcome: () => unknown
  readonly finish: () => void
  readonly fail: (reason: unknown) => void
}

/** A queue whose work begins and ends by the test's hand. */
const createTestQueue = (options: HashingQueueOptions = {}) => {
  const system: TestSystem = createTestSystem()
  const queue: HashingQueue = createHashingQueue({ concurrency: 2, maxQueued: 2, ...options, system })
  const begun: string[] = []

  const enter = async (name: string): Promise<Entrant> => {
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
    queue.run(work).then(
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
  it('lets as many in at once as it is told, and the next one when one leaves', async () => {
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

  it('lets them in by their arrival', async () => {
    const { begun, enter } = createTestQueue({ concurrency: 1, maxQueued: 5 })
    const entrants: Entrant[] = []
    for (const name of ['a', 'b', 'c', 'd', 'e']) entrants.push(await enter(name))
    for (const entrant of entrants) {
      entrant.finish()
      await nextTurn()
    }
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('lets nobody in before those who wait, at whichever moment they come', async () => {
    const { queue, begun, enter } = createTestQueue({ concurrency: 1, maxQueued: 100 })
    const first = await enter('first')
    await enter('second')
    first.finish()
    for (let microtask = 0; microtask < 20; microtask += 1) {
      void queue.run(async () => begun.push(`newcomer ${microtask}`))
      await Promise.resolve()
    }
    expect(begun).toEqual(['first', 'second'])
  })

  it('turns away at once whoever finds the queue full, without beginning', async () => {
    const { begun, enter } = createTestQueue()
    for (const name of ['a', 'b', 'c', 'd']) await enter(name)
    const fifth = await enter('e')
    expect(fifth.outcome()).toMatchObject(busy)
    expect(begun).toEqual(['a', 'b'])
  })

  it('turns away whoever waits too long, without beginning, and forgets them', async () => {
    const { begun, enter, system } = createTestQueue({ concurrency: 1, maxQueued: 1 })
    const first = await enter('first')
    const second = await enter('second')
    expect(system.timers()).toEqual([5_000])
    system.fireTimers()
    await nextTurn()
    expect(second.outcome()).toMatchObject(busy)
    const third = await enter('third')
    first.finish()
    await nextTurn()
    expect(begun).toEqual(['first', 'third'])
    expect(third.outcome()).toBeUndefined()
  })

  it('counts the wait alone, not the work', async () => {
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

  it('names the refusal in its detail, and the limit and the fix in its cause', async () => {
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

  it('says when to come back: after the longest wait, in whole seconds', async () => {
    const { enter } = createTestQueue({ concurrency: 1, maxQueued: 0, queueTimeoutMs: 1_200 })
    await enter('first')
    expect((await enter('second')).outcome()).toMatchObject({ code: 'jwt_auth_unavailable', retryAfterSeconds: 2 })
  })

  it('hands failures on and gives their place to the next', async () => {
    const { begun, enter } = createTestQueue({ concurrency: 1 })
    const first = await enter('first')
    await enter('second')
    const failure = new Error('no memory')
    first.fail(failure)
    await nextTurn()
    expect(first.outcome()).toBe(failure)
    expect(begun).toEqual(['first', 'second'])
  })

  it('gives the place of work that throws at once to the next', async () => {
    const { queue, begun, enter } = createTestQueue({ concurrency: 1 })
    const failure = new Error('thrown')
    const thrown = queue.run(() => {
      throw failure
    })
    expect(await rejectionOf(thrown)).toBe(failure)
    await enter('next')
    expect(begun).toEqual(['next'])
  })

  it('keeps no more and no less room after any number of comings and goings', async () => {
    const { begun, enter, system } = createTestQueue()
    for (let round = 0; round < 20; round += 1) {
      const entrants: Entrant[] = []
      for (const name of ['a', 'b', 'c', 'd', 'e']) entrants.push(await enter(`${name}${round}`))
      if (round % 2 === 0) system.fireTimers()
      for (const entrant of entrants) entrant.finish()
      await nextTurn()
    }
    begun.length = 0
    for (const name of ['a', 'b', 'c']) await enter(name)
    expect(begun).toEqual(['a', 'b'])
  })

  it.each([
    [{ concurrency: 0 }, 'option `concurrency` must be a whole number of hashes from 1 to 1022; received 0.'],
    [{ maxQueued: -1 }, 'option `maxQueued` must be a whole number of logins from 0 to 100000; received -1.'],
    [
      { queueTimeoutMs: 9 },
      'option `queueTimeoutMs` must be a whole number of milliseconds from 10 to 60000; received 9.',
    ],
    [{ system: { startTimer: 1 } }, 'option `system.startTimer` must be a function; received 1.'],
    [
      { threads: 4 },
      'createHashingQueue has no option `threads`; it knows concurrency, maxQueued, queueTimeoutMs, system.',
    ],
    [null, 'option `options` must be an object; received null.'],
  ])('refuses wrong options: %j', (options, message) => {
    expect(() => callUntyped(createHashingQueue, options)).toThrow(new TypeError(`jwt-auth: ${message}`))
  })
})

describe('hashes that run at once without an option', () => {
  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [64, 2],
  ])('are on %i processors %i', (processors, running) => {
    expect(defaultRunning(processors)).toBe(running)
  })
})
