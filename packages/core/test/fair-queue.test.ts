import { AsyncLocalStorage } from 'node:async_hooks'
import { getEventListeners } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AuthError, isAuthError } from '../src/errors/auth-error.js'
import { createFairQueue, createQueueOfKeys } from '../src/fair-queue.js'
import type { HashingPriority } from '../src/internal.js'

/** Returns the priority of a name: `a1` and `a2` are of one network, `known a1` is of a known pair. */
type ToPriority = (name: string) => HashingPriority | undefined

const toNetwork = (letter: string): string => `192.0.2.${letter.charCodeAt(0)}`
const ofOther: ToPriority = ([letter = '']) => ({ isKnown: false, network: toNetwork(letter) })
const ofKnown: ToPriority = ([letter = '']) => ({ isKnown: true, network: toNetwork(letter) })
const ofApplication: ToPriority = () => undefined

/** A queue in which one work runs. `start` lets the next ones start, by default all. */
const createLine = (maxQueued = 100) => {
  const system = createTestSystem()
  const queue = createFairQueue(1, {
    maxQueued,
    queueTimeoutMs: 5_000,
    startTimer: system.startTimer,
    toError: (reason) => new AuthError('jwt_auth_unavailable', { refusal: { reason, isKnown: false } }),
  })
  void queue.enter()
  const started: string[] = []
  const refused: string[] = []
  const add = (names: string, toPriority: ToPriority): void => {
    for (const name of names.split(' ').filter(Boolean)) {
      queue.enter(toPriority(name)).then(
        () => started.push(name),
        (error) => refused.push(`${name}: ${isAuthError(error) ? (error.refusal?.reason ?? error.code) : error}`),
      )
    }
  }
  const start = async (count = system.timers().length): Promise<string> => {
    await nextTurn()
    for (let left = count; left > 0; left -= 1) queue.leave()
    await nextTurn()
    return started.splice(0).join(' ')
  }
  return {
    ...system,
    queue,
    add,
    start,
    refusals: async () => {
      await nextTurn()
      return refused.splice(0)
    },
  }
}

const ofUser =
  (user: string): ToPriority =>
  ([letter = '']) => ({ isKnown: true, network: toNetwork(letter), user })

/** Returns the priority of a name such as `1-203`, a /64 in 2001:db8:1::/48. */
const ofIpv6 =
  (isKnown: boolean): ToPriority =>
  (name) => ({
    isKnown,
    network: `2001:db8:${name.replace('-', ':')}::/64`,
    ...(isKnown && { user: name }),
  })

describe('what waits', () => {
  it.each<[string, ToPriority, string, string]>([
    ['in the order of arrival in one network', ofOther, 'a1 a2 a3', 'a1 a2 a3'],
    ['in rounds of the networks', ofOther, 'a1 a2 a3 b1 b2 c1', 'a1 b1 c1 a2 b2 a3'],
    ['in rounds of the known networks', ofKnown, 'a1 a2 a3 b1', 'a1 b1 a2 a3'],
    [
      'with one turn for a /48, and in it one for a /56',
      ofIpv6(false),
      '1-200 1-201 1-2ff 1-300 2-0',
      '1-200 2-0 1-300 1-201 1-2ff',
    ],
    ['with one turn for a known /48', ofIpv6(true), '1-200 1-201 1-300 2-0', '1-200 2-0 1-300 1-201'],
    ['in the order of arrival without a priority', ofApplication, 'a1 b1 a2', 'a1 b1 a2'],
  ])('is served %s', async (_, toPriority, names, expected) => {
    const { add, start } = createLine()
    add(names, toPriority)
    expect(await start()).toBe(expected)
  })

  it('is served three times in a row from the lane of known pairs, then once from the other', async () => {
    const { add, start } = createLine()
    add('a1 a2 a3', ofOther)
    add('k1 k2 k3 k4 k5', ofKnown)
    expect(await start()).toBe('k1 k2 k3 a1 k4 k5 a2 a3')
  })

  it('is served in turn for the application and for all other clients together', async () => {
    const { add, start } = createLine()
    add('a1 b1 c1 d1', ofOther)
    add('x y', ofApplication)
    expect(await start()).toBe('a1 x b1 y c1 d1')
  })

  it('is served first from networks that have just started to wait, at most three times in a row', async () => {
    const { add, start } = createLine()
    add('a1 a2 a3 b1', ofOther)
    expect(await start(2)).toBe('a1 b1')
    add('c1', ofOther)
    expect(await start(1)).toBe('c1')
    add('d1 e1 f1 g1', ofOther)
    expect(await start()).toBe('a2 d1 e1 f1 a3 g1')
  })

  it('has one turn for a known user on many networks, which the networks share', async () => {
    const { add, start } = createLine()
    add('a1 b1 c1 a2', ofUser('attacker'))
    add('o', ofUser('owner'))
    expect(await start()).toBe('a1 o b1 c1 a2')
  })

  it('has one turn for many known users of one network, which the users share', async () => {
    const { add, start } = createLine()
    for (const user of ['1', '2', '3', '1']) add(`a${user}`, ofUser(user))
    add('o', ofUser('owner'))
    expect(await start()).toBe('a1 o a2 a3 a1')
  })

  it('is served early for a user whose network is one of many of another user', async () => {
    const { add, start } = createLine()
    add('a1 b1 c1 d1 e1 f1 g1 h1', ofUser('attacker'))
    add('a2', ofUser('colleague'))
    expect(await start()).toBe('a1 b1 c1 a2 d1 e1 f1 g1 h1')
  })
})

describe('more than may wait', () => {
  it.each<[string, number, readonly (readonly [string, ToPriority])[], readonly string[]]>([
    ['of one network: its newest, beyond a quarter', 8, [['a1 a2 a3 a4', ofOther]], ['a3: network', 'a4: network']],
    ['of one known network: the same', 8, [['a1 a2 a3 a4', ofKnown]], ['a3: network', 'a4: network']],
    ['of one /48: the newest of the largest /56', 8, [['1-200 1-201 1-300', ofIpv6(false)]], ['1-201: network']],
    ['of one known user: the newest, beyond a quarter', 8, [['a1 b1 c1 d1', ofUser('a')]], ['c1: user', 'd1: user']],
    ['in all: the newest of the largest network', 4, [['a1 b1 c1 d1 e1', ofOther]], ['e1: queue']],
    [
      'in all, of known pairs too: the newest of the others',
      4,
      [
        ['a1 b1 c1 d1', ofOther],
        ['o', ofKnown],
      ],
      ['d1: queue'],
    ],
    [
      'in all, when known pairs hold more than half: the newest of them',
      4,
      [
        ['a1 b1 c1 d1', ofKnown],
        ['n1 n2 o p', ofOther],
      ],
      ['c1: queue', 'd1: queue', 'n2: queue', 'p: queue'],
    ],
    [
      'in all, of known users: the newest of the largest group',
      8,
      [['a1 b1', ofUser('a')], ...[...'cdefgho'].map((name) => [name, ofUser(name)] as const)],
      ['b1: queue'],
    ],
    ['of the application: the newest, when the queue is full', 4, [['a b c d e', ofApplication]], ['e: queue']],
    [
      'where none may wait: that one',
      0,
      [
        ['a1', ofOther],
        ['k1', ofKnown],
      ],
      ['a1: queue', 'k1: queue'],
    ],
  ])('is refused %s', async (_, maxQueued, added, expected) => {
    const { add, refusals } = createLine(maxQueued)
    for (const [names, toPriority] of added) add(names, toPriority)
    expect(await refusals()).toEqual(expected)
  })

  it('is started or refused exactly once, whatever comes, waits too long or is served', async () => {
    const names = fc.constantFrom('a1', 'b1', 'c1')
    const priority = fc.constantFrom(ofOther, ofKnown, ofUser('u'), ofUser('v'), ofApplication)
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ names, priority }) },
      fc.constantFrom('leave' as const, 'time-out' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { add, start, refusals, fireTimers, timers } = createLine(12)
        let [served, added] = ['', 0]
        for (const one of steps) {
          if (one === 'time-out') fireTimers()
          else if (one === 'leave') served += await start(Math.min(1, timers().length))
          else {
            add(one.names, one.priority)
            added += 1
          }
        }
        served += await start()
        expect(served.replaceAll(' ', '').length / 2 + (await refusals()).length).toBe(added)
        expect(timers()).toEqual([])
      }),
    )
  })
})

describe('countAhead', () => {
  it.each<[string, readonly (readonly [string, ToPriority])[], ReturnType<ToPriority>, number]>([
    ['nothing when nothing waits', [], ofOther('a'), 0],
    ['its own network', [['a1 a2 a3', ofOther]], ofOther('a'), 3],
    ['one of each other network for a new network', [['a1 a2 a3 b1 b2 c1', ofOther]], ofOther('d'), 3],
    ['as many of other networks as its own has turns', [['a1 a2 a3 b1 c1', ofOther]], ofOther('b'), 4],
    ['one turn of a known user of many networks', [['a1 b1 c1 d1', ofUser('a')]], ofUser('o')('o'), 1],
    [
      'three turns of known pairs for each of the others',
      [
        ['a1 b1', ofOther],
        ['a1 b1 c1 d1 e1 f1', ofKnown],
      ],
      ofOther('c'),
      2 + 6,
    ],
    [
      'a turn of the others for three known pairs',
      [
        ['a1 b1 c1 d1 e1', ofOther],
        ['a1 b1 c1 d1 e1 f1', ofKnown],
      ],
      ofKnown('g'),
      6 + 2,
    ],
  ])('counts %s', (_, added, priority, expected) => {
    const { add, queue } = createLine()
    for (const [names, toPriority] of added) add(names, toPriority)
    expect(queue.countAhead(priority)).toBe(expected)
  })
})

describe('a caller that waits', () => {
  it('is refused after the timeout, and what is behind it is served', async () => {
    const { add, start, refusals, fireTimers, timers } = createLine()
    add('a1', ofOther)
    expect(timers()).toEqual([5_000])
    fireTimers()
    add('b1', ofOther)
    expect([await refusals(), await start(1), timers()]).toEqual([['a1: timeout'], 'b1', []])
  })

  it('is refused when its signal aborts, and never starts when its signal has aborted', async () => {
    const { add, start, refusals, timers } = createLine()
    const client = new AbortController()
    const ofClient: ToPriority = () => ({ isKnown: true, network: '192.0.2.1', signal: client.signal })
    add('a1', ofClient)
    client.abort()
    add('a2', ofClient)
    add('b1', ofOther)
    expect(await refusals()).toEqual(['a2: jwt_auth_invalid_request', 'a1: jwt_auth_invalid_request'])
    expect(timers()).toEqual([5_000])
    expect(await start(1)).toBe('b1')
  })

  it('is no longer affected by its signal once it has started', async () => {
    const { add, start, refusals } = createLine()
    const client = new AbortController()
    add('a1', () => ({ isKnown: false, network: '192.0.2.1', signal: client.signal }))
    expect(getEventListeners(client.signal, 'abort')).toHaveLength(1)
    expect(await start(1)).toBe('a1')
    expect(getEventListeners(client.signal, 'abort')).toHaveLength(0)
    client.abort()
    expect(await refusals()).toEqual([])
  })

  it('is not overtaken by callers that arrive when another ends', async () => {
    const { queue, add, start } = createLine()
    add('first', ofApplication)
    queue.leave()
    add('newcomer', ofApplication)
    expect(await start(0)).toBe('first')
  })

  it('runs in its own async context', async () => {
    const queue = createFairQueue(1)
    const contexts = new AsyncLocalStorage<string>()
    const seen = ['a', 'b', 'c'].map((name) => contexts.run(name, () => queue.run(async () => contexts.getStore())))
    expect(await Promise.all(seen)).toEqual(['a', 'b', 'c'])
  })
})

/** Runs works that end when the test says so. */
const createWorks = (run: <T>(work: () => Promise<T>) => Promise<T>) => {
  const ends: { readonly resolve: () => void; readonly reject: (failure: Error) => void }[] = []
  const runs = Array.from({ length: 9 }, () =>
    run(() => new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))).catch(String),
  )
  return { ends, runs }
}

describe('run', () => {
  it('runs as many works at the same time as it may', async () => {
    const queue = createFairQueue(2)
    const { ends, runs } = createWorks(queue.run)
    await nextTurn()
    expect(ends).toHaveLength(2)
    ends[0]?.resolve()
    await nextTurn()
    expect(ends).toHaveLength(3)
    for (let ended = 0; ended < ends.length; await nextTurn()) ends[ended++]?.resolve()
    await Promise.all(runs)
  })

  it('runs the next work after one that fails, also synchronously', async () => {
    const queue = createFairQueue(1)
    const thrown = queue.run(() => {
      throw new Error('thrown')
    })
    await expect(thrown).rejects.toThrow('thrown')
    expect(await queue.run(async () => 'next')).toBe('next')
  })
})

describe('createQueueOfKeys', () => {
  it('runs as many works of one key at a time, and all that wait after a failure', async () => {
    const run = createQueueOfKeys(2)
    const one = createWorks((work) => run('one', work))
    const another = createWorks((work) => run('another', work))
    await nextTurn()
    expect([one.ends.length, another.ends.length]).toEqual([2, 2])
    one.ends[0]?.reject(new Error('silent'))
    await nextTurn()
    expect([one.ends.length, another.ends.length]).toEqual([9, 2])
  })
})
