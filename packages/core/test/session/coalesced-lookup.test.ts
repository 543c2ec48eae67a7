import { describe, expect, it } from 'vitest'
import { createDeadline } from '../../src/ports/deadline.js'
import type { SessionRecord } from '../../src/ports/session-storage.js'
import { createCoalescedLookup } from '../../src/session/coalesced-lookup.js'
import { nextTurn } from '../support/next-turn.js'
import { createSessionChain } from '../support/session-fixture.js'
import { createTestSystem } from '../support/test-system.js'

interface Batch {
  readonly ids: readonly string[]
  readonly answer: (sessions: readonly SessionRecord[]) => void
  readonly fail: (reason: unknown) => void
}

/** A lookup over a storage that answers when the test says so. */
const createLookup = () => {
  const batches: Batch[] = []
  const system = createTestSystem()
  const find = createCoalescedLookup(
    (ids) => new Promise((resolve, reject) => batches.push({ ids, answer: resolve, fail: reject })),
    createDeadline(1_000, system.startTimer),
  )
  return { find, batches, system }
}

const timedOut = {
  code: 'jwt_auth_unavailable',
  cause: { message: expect.stringContaining('no answer within 1000 ms') },
}

const template = createSessionChain().session()
const sessionOf = (id: string, changes: Partial<SessionRecord> = {}): SessionRecord => ({ ...template, ...changes, id })

/** Keeps as many batches under way as there may be, so that whatever is asked next has to wait. */
const fillUp = async ({ find, batches }: ReturnType<typeof createLookup>): Promise<readonly unknown[]> => {
  const lookups = []
  for (const id of ['f1', 'f2', 'f3', 'f4']) {
    lookups.push(find(id))
    await nextTurn()
  }
  expect(batches.map(({ ids }) => ids)).toEqual([['f1'], ['f2'], ['f3'], ['f4']])
  return lookups
}

describe('the lookup of sessions', () => {
  it('goes to storage in the moment it is asked for while little is under way', async () => {
    const { find, batches } = createLookup()
    void find('a')
    await nextTurn()
    void find('b')
    await nextTurn()
    expect(batches.map(({ ids }) => ids)).toEqual([['a'], ['b']])
  })

  it('is one batch with all others of its moment, though places are free', async () => {
    const { find, batches } = createLookup()
    const waiting = ['a', 'b', 'c'].map((id) => find(id))
    await nextTurn()
    expect(batches.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']])
    batches[0]?.answer([sessionOf('c'), sessionOf('a')])
    expect((await Promise.all(waiting)).map((session) => session?.id)).toEqual(['a', undefined, 'c'])
  })

  it('lets what waits in the same moment go as one batch', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    const waiting = Array.from({ length: 100 }, (_, at) => lookup.find(`w${at}`))
    expect(lookup.batches).toHaveLength(4)

    lookup.batches[0]?.answer([])
    await nextTurn()
    expect(lookup.batches).toHaveLength(5)
    expect(lookup.batches[4]?.ids).toEqual(waiting.map((_, at) => `w${at}`))
  })

  it('asks for an id once, however many wait for it, and answers each of them', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    const waiting = ['a', 'b', 'a', 'a'].map((id) => lookup.find(id))
    lookup.batches[0]?.answer([])
    await nextTurn()
    expect(lookup.batches[4]?.ids).toEqual(['a', 'b'])
    lookup.batches[4]?.answer([sessionOf('a')])
    expect((await Promise.all(waiting)).map((session) => session?.id)).toEqual(['a', undefined, 'a', 'a'])
  })

  it('answers each waiter with the session of its own id, in whatever order they come', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    const ids = Array.from({ length: 50 }, (_, at) => `w${at}`)
    const waiting = ids.map((id) => lookup.find(id))
    lookup.batches[0]?.answer([])
    await nextTurn()
    lookup.batches[4]?.answer([...ids].reverse().map((id) => sessionOf(id)))
    expect((await Promise.all(waiting)).map((session) => session?.id)).toEqual(ids)
  })

  it('answers nothing for what is missing, and does not take another session for it', async () => {
    const { find, batches } = createLookup()
    const answers = [find('a'), find('c')]
    await nextTurn()
    batches[0]?.answer([sessionOf('b'), sessionOf('A')])
    expect(await Promise.all(answers)).toEqual([undefined, undefined])
  })

  it('joins no batch that was sent, not even for the same id', async () => {
    const { find, batches } = createLookup()
    const early = find('a')
    await nextTurn()
    const late = find('a')
    await nextTurn()
    expect(batches.map(({ ids }) => ids)).toEqual([['a'], ['a']])
    batches[1]?.answer([sessionOf('a', { endedAt: 1, endReason: 'revoked' })])
    batches[0]?.answer([sessionOf('a')])
    expect((await early)?.endedAt).toBeNull()
    expect((await late)?.endedAt).toBe(1)
  })

  it('joins no batch that was sent, once more when all places are taken', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    const early = lookup.find('a')
    lookup.batches[0]?.answer([])
    await nextTurn()
    expect(lookup.batches[4]?.ids).toEqual(['a'])

    const late = lookup.find('a')
    await nextTurn()
    expect(lookup.batches).toHaveLength(5)
    lookup.batches[4]?.answer([sessionOf('a')])
    expect((await early)?.endedAt).toBeNull()
    await nextTurn()
    expect(lookup.batches[5]?.ids).toEqual(['a'])
    lookup.batches[5]?.answer([sessionOf('a', { endedAt: 1, endReason: 'revoked' })])
    expect((await late)?.endedAt).toBe(1)
  })

  it('asks again after an answer: nothing is remembered', async () => {
    const { find, batches } = createLookup()
    const first = find('a')
    await nextTurn()
    batches[0]?.answer([sessionOf('a')])
    await first
    const second = find('a')
    await nextTurn()
    batches[1]?.answer([])
    expect(await second).toBeUndefined()
  })

  it('rejects every waiter of a failed batch, and no other', async () => {
    const lookup = createLookup()
    const [first] = await fillUp(lookup)
    const waiting = Promise.allSettled(['a', 'b', 'a'].map((id) => lookup.find(id)))
    lookup.batches[0]?.answer([])
    await first
    await nextTurn()
    const later = lookup.find('a')
    const reason = new Error('connection lost')
    // Both together, and each alone.
    for (const place of [4, 5, 6]) {
      lookup.batches[place]?.fail(reason)
      await nextTurn()
    }
    expect(await waiting).toEqual(new Array(3).fill({ status: 'rejected', reason }))
    lookup.batches[7]?.answer([sessionOf('a')])
    expect((await later)?.id).toBe('a')
  })

  it('rejects the waiters of the one session of a failed batch that cannot be read', async () => {
    const { find, batches } = createLookup()
    const waiting = Promise.allSettled(['a', 'bad', 'c', 'bad', 'd'].map((id) => find(id)))
    await nextTurn()
    const reason = new Error('unreadable')
    for (let place = 0; place < 5; place += 1) {
      const { ids, answer, fail } = batches[place] ?? expect.unreachable()
      if (ids.includes('bad')) fail(reason)
      else answer(ids.map((id) => sessionOf(id)))
      await nextTurn()
    }
    expect(batches.map(({ ids }) => ids)).toEqual([['a', 'bad', 'c', 'd'], ['a'], ['bad'], ['c'], ['d']])
    const outcomes = (await waiting).map((outcome) =>
      outcome.status === 'fulfilled' ? outcome.value?.id : outcome.reason,
    )
    expect(outcomes).toEqual(['a', reason, 'c', reason, 'd'])
  })

  it('keeps no more than four calls in flight while failed batches are searched', async () => {
    const { find, batches } = createLookup()
    let answered = 0
    void Promise.allSettled(Array.from({ length: 4_000 }, (_, at) => find(`w${at}`)))
    for (let turn = 0; turn < 50; turn += 1) {
      await nextTurn()
      expect(batches.length - answered).toBeLessThanOrEqual(4)
      for (const { ids, answer, fail } of batches.slice(answered)) {
        answered += 1
        if (ids.includes(`w${turn * 7}`)) fail(new Error('unreadable'))
        else answer([])
      }
    }
  })

  it('is not sent again once its deadline has passed', async () => {
    const { find, batches, system } = createLookup()
    const waiting = Promise.allSettled(['a', 'b'].map((id) => find(id)))
    await nextTurn()
    system.fireTimers()
    expect(await waiting).toMatchObject([{ reason: timedOut }, { reason: timedOut }])
    batches[0]?.fail(new Error('aborted'))
    await nextTurn()
    expect(batches).toHaveLength(1)
  })

  it('recovers when every place was taken by a batch that failed', async () => {
    const lookup = createLookup()
    const lost = await fillUp(lookup)
    const waiting = lookup.find('a')
    for (const batch of [...lookup.batches]) batch.fail(new Error('connection lost'))
    expect((await Promise.allSettled(lost)).map(({ status }) => status)).toEqual(lost.map(() => 'rejected'))
    await nextTurn()
    expect(lookup.batches[4]?.ids).toEqual(['a'])
    lookup.batches[4]?.answer([sessionOf('a')])
    expect((await waiting)?.id).toBe('a')

    const next = []
    for (const id of ['n1', 'n2', 'n3', 'n4']) {
      next.push(lookup.find(id))
      await nextTurn()
    }
    expect(lookup.batches.slice(5).map(({ ids }) => ids)).toEqual([['n1'], ['n2'], ['n3'], ['n4']])
    for (const batch of lookup.batches.slice(5)) batch.answer([])
    expect(await Promise.all(next)).toEqual([undefined, undefined, undefined, undefined])
  })

  it('sends no batch of more than 500 ids', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    for (let at = 0; at < 1_200; at += 1) void lookup.find(`w${at}`)
    await nextTurn()
    for (const batch of lookup.batches.slice(0, 3)) batch.answer([])
    await nextTurn()
    expect(lookup.batches.slice(4).map(({ ids }) => ids.length)).toEqual([500, 500, 200])
  })

  it('has no more than four batches under way, however many are asked for', async () => {
    const { find, batches } = createLookup()
    for (let at = 0; at < 5_000; at += 1) void find(`w${at}`)
    await nextTurn()
    for (let turn = 0; turn < 60; turn += 1) {
      for (let at = 0; at < 100; at += 1) void find(`w${turn}-${at}`)
      await nextTurn()
    }
    expect(batches).toHaveLength(4)
    batches[0]?.answer([])
    await nextTurn()
    expect(batches).toHaveLength(5)
  })
})

describe('the deadline of a lookup', () => {
  it('begins when its batch does, and counts the time for which the batch waits for its turn', async () => {
    const lookup = createLookup()
    const sent = Promise.allSettled(await fillUp(lookup))
    const waiting = Promise.allSettled([lookup.find('a'), lookup.find('b')])
    expect(lookup.system.timers()).toHaveLength(5)
    lookup.system.fireTimers()
    expect(await waiting).toMatchObject([{ reason: timedOut }, { reason: timedOut }])
    expect((await sent).map(({ status }) => status)).toEqual(new Array(4).fill('rejected'))
    lookup.batches[0]?.answer([])
    await nextTurn()
    expect(lookup.batches).toHaveLength(4)
  })

  it('takes its own batch out of the queue and no other', async () => {
    const lookup = createLookup()
    const sent = Promise.allSettled(await fillUp(lookup))
    const refused = Promise.allSettled(Array.from({ length: 500 }, (_, at) => lookup.find(`w${at}`)))
    await lookup.system.runFor(500)
    void lookup.find('next')
    await lookup.system.runFor(500)
    await sent
    expect(new Set((await refused).map(({ status }) => status))).toEqual(new Set(['rejected']))
    lookup.batches[0]?.answer([])
    await nextTurn()
    expect(lookup.batches.slice(4).map(({ ids }) => ids)).toEqual([['next']])
  })

  it('is over with the answer', async () => {
    const { find, batches, system } = createLookup()
    const found = Promise.all([find('a'), find('b')])
    await nextTurn()
    batches[0]?.answer([sessionOf('a')])
    await found
    await nextTurn()
    expect(system.timers()).toEqual([])
    const failing = Promise.allSettled([find('c')])
    await nextTurn()
    batches[1]?.fail(new Error('down'))
    expect(await failing).toMatchObject([{ reason: { message: 'down' } }])
    await nextTurn()
    expect(system.timers()).toEqual([])
  })
})
