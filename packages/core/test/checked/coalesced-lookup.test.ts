import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { createCoalescedLookup } from '../../src/checked/coalesced-lookup.js'
import type { FoundSession, SessionRecord } from '../../src/ports/session-storage.js'
import { createDeadline } from '../../src/system.js'
import { createSessionChain } from '../support/session-fixture.js'

interface Batch {
  readonly ids: readonly string[]
  readonly resolve: (sessions: readonly FoundSession[]) => void
  readonly fail: (reason: unknown) => void
}

/** A lookup in a storage whose calls the test settles. */
const createLookup = () => {
  const batches: Batch[] = []
  const system = createTestSystem()
  const find = createCoalescedLookup(
    (ids) => new Promise((resolve, reject) => batches.push({ ids, resolve, fail: reject })),
    createDeadline(1_000, system),
  )
  return { find, batches, system }
}

const timedOut = {
  code: 'jwt_auth_unavailable',
  cause: { message: expect.stringContaining('no response within 1000 ms') },
}

const template = createSessionChain().session()
const sessionOf = (id: string, changes: Partial<SessionRecord> = {}): SessionRecord => ({ ...template, ...changes, id })

/** Sends as many batches as may be in flight, so that the next lookup waits. */
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
  it('is sent in the same turn while fewer than four batches are in flight', async () => {
    const { find, batches } = createLookup()
    void find('a')
    await nextTurn()
    void find('b')
    await nextTurn()
    expect(batches.map(({ ids }) => ids)).toEqual([['a'], ['b']])
  })

  it('is one batch with all other lookups of its turn, even when another batch could be sent', async () => {
    const { find, batches } = createLookup()
    const waiting = ['a', 'b', 'c'].map((id) => find(id))
    await nextTurn()
    expect(batches.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']])
    batches[0]?.resolve([sessionOf('c'), sessionOf('a')])
    expect((await Promise.all(waiting)).map((session) => session?.id)).toEqual(['a', undefined, 'c'])
  })

  it('calls storage once for an id with several callers, and resolves for each caller', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    const waiting = ['a', 'b', 'a', 'a'].map((id) => lookup.find(id))
    lookup.batches[0]?.resolve([])
    await nextTurn()
    expect(lookup.batches[4]?.ids).toEqual(['a', 'b'])
    lookup.batches[4]?.resolve([sessionOf('a')])
    expect((await Promise.all(waiting)).map((session) => session?.id)).toEqual(['a', undefined, 'a', 'a'])
  })

  it('is sent in the async context in which the lookup was created, also alone and after another batch', async () => {
    const contexts = new AsyncLocalStorage<string>()
    const sentIn: unknown[] = []
    const settle: (() => void)[] = []
    const find = contexts.run('of the service', () =>
      createCoalescedLookup(
        (ids) => {
          sentIn.push([...ids, contexts.getStore()])
          return new Promise((resolve) => settle.push(() => resolve([])))
        },
        createDeadline(1_000, createTestSystem()),
      ),
    )
    for (const id of ['f1', 'f2', 'f3', 'f4']) {
      void contexts.run(`of ${id}`, () => find(id))
      await nextTurn()
    }
    void contexts.run('of a', () => find('a'))
    void contexts.run('of b', () => find('b'))
    settle[0]?.()
    await nextTurn()
    expect(sentIn).toEqual([
      ['f1', 'of the service'],
      ['f2', 'of the service'],
      ['f3', 'of the service'],
      ['f4', 'of the service'],
      ['a', 'b', 'of the service'],
    ])
  })

  it('resolves to undefined for a missing session, never to another session', async () => {
    const { find, batches } = createLookup()
    const results = [find('a'), find('c')]
    await nextTurn()
    batches[0]?.resolve([sessionOf('b'), sessionOf('A')])
    expect(await Promise.all(results)).toEqual([undefined, undefined])
  })

  it('joins no batch that was sent, not even for the same id', async () => {
    const { find, batches } = createLookup()
    const early = find('a')
    await nextTurn()
    const late = find('a')
    await nextTurn()
    expect(batches.map(({ ids }) => ids)).toEqual([['a'], ['a']])
    batches[1]?.resolve([sessionOf('a', { endedAt: 1, endReason: 'revoked' })])
    batches[0]?.resolve([sessionOf('a')])
    expect(await early).toMatchObject({ endedAt: null })
    expect(await late).toMatchObject({ endedAt: 1 })
  })

  it('rejects for every caller of a failed batch, and for no other caller', async () => {
    const lookup = createLookup()
    const [first] = await fillUp(lookup)
    const waiting = Promise.allSettled(['a', 'b', 'a'].map((id) => lookup.find(id)))
    lookup.batches[0]?.resolve([])
    await first
    await nextTurn()
    const later = lookup.find('a')
    const reason = new Error('connection lost')
    lookup.batches[4]?.fail(reason)
    await nextTurn()
    expect(await waiting).toEqual(new Array(3).fill({ status: 'rejected', reason }))
    lookup.batches[5]?.resolve([sessionOf('a')])
    expect((await later)?.id).toBe('a')
  })

  it('resolves to a session that cannot be read for its own callers only', async () => {
    const { find, batches } = createLookup()
    const waiting = Promise.all(['a', 'bad', 'c', 'bad', 'd'].map((id) => find(id)))
    await nextTurn()
    const [a, bad, c] = [sessionOf('a'), { id: 'bad', error: new Error('unreadable') }, sessionOf('c')]
    batches[0]?.resolve([a, bad, c])
    expect(await waiting).toEqual([a, bad, c, bad, undefined])
    expect(batches).toHaveLength(1)
  })

  it('is not sent again after its deadline', async () => {
    const { find, batches, system } = createLookup()
    const waiting = Promise.allSettled(['a', 'b'].map((id) => find(id)))
    await nextTurn()
    system.fireTimers()
    expect(await waiting).toMatchObject([{ reason: timedOut }, { reason: timedOut }])
    batches[0]?.fail(new Error('aborted'))
    await nextTurn()
    expect(batches).toHaveLength(1)
  })

  it('is sent in a batch of at most 500 ids', async () => {
    const lookup = createLookup()
    await fillUp(lookup)
    for (let at = 0; at < 1_200; at += 1) void lookup.find(`w${at}`)
    await nextTurn()
    for (const batch of lookup.batches.slice(0, 3)) batch.resolve([])
    await nextTurn()
    expect(lookup.batches.slice(4).map(({ ids }) => ids.length)).toEqual([500, 500, 200])
  })

  it('has at most four batches in flight, for any number of ids', async () => {
    const { find, batches } = createLookup()
    for (let at = 0; at < 5_000; at += 1) void find(`w${at}`)
    await nextTurn()
    for (let turn = 0; turn < 60; turn += 1) {
      for (let at = 0; at < 100; at += 1) void find(`w${turn}-${at}`)
      await nextTurn()
    }
    expect(batches).toHaveLength(4)
    batches[0]?.resolve([])
    await nextTurn()
    expect(batches).toHaveLength(5)
  })
})

describe('the deadline of a lookup', () => {
  it('starts with its batch, and includes the time for which the batch waits', async () => {
    const lookup = createLookup()
    const sent = Promise.allSettled(await fillUp(lookup))
    const waiting = Promise.allSettled([lookup.find('a'), lookup.find('b')])
    expect(lookup.system.timers()).toHaveLength(5)
    lookup.system.fireTimers()
    expect(await waiting).toMatchObject([{ reason: timedOut }, { reason: timedOut }])
    expect((await sent).map(({ status }) => status)).toEqual(new Array(4).fill('rejected'))
    lookup.batches[0]?.resolve([])
    await nextTurn()
    expect(lookup.batches).toHaveLength(4)
  })

  it('removes its own batch from the queue and no other batch', async () => {
    const lookup = createLookup()
    const sent = Promise.allSettled(await fillUp(lookup))
    const refused = Promise.allSettled(Array.from({ length: 500 }, (_, at) => lookup.find(`w${at}`)))
    await lookup.system.runFor(500)
    void lookup.find('next')
    await lookup.system.runFor(500)
    await sent
    expect(new Set((await refused).map(({ status }) => status))).toEqual(new Set(['rejected']))
    lookup.batches[0]?.resolve([])
    await nextTurn()
    expect(lookup.batches.slice(4).map(({ ids }) => ids)).toEqual([['next']])
  })

  it('stops its timer when the lookup settles', async () => {
    const { find, batches, system } = createLookup()
    const found = Promise.all([find('a'), find('b')])
    await nextTurn()
    batches[0]?.resolve([sessionOf('a')])
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
