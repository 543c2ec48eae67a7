import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../src/ports/session-storage.js'
import { createBatchSearch } from '../../src/session/coalesced-lookup.js'
import { createSessionChain } from '../support/session-fixture.js'

const template = createSessionChain().session()
const failure = new Error('the whole batch')

interface FaultyStore {
  /** Whether a call with an id rejects. */
  readonly isBad: (id: string) => boolean
  /** When the deadline passes: during the call with this number. @default never */
  readonly lateAt?: number
}

/** Searches batches in a storage with faults, and records the calls and the outcome of each id. */
const createSearch = ({ isBad, lateAt = Number.POSITIVE_INFINITY }: FaultyStore) => {
  const calls: (readonly string[])[] = []
  const deadline = new AbortController()
  const search = createBatchSearch(async (ids) => {
    calls.push(ids)
    if (calls.length === lateAt) deadline.abort()
    if (ids.some(isBad)) throw ids.length === 1 ? new Error(`alone: ${ids[0]}`) : failure
    return ids.filter((id) => !id.startsWith('missing')).map((id): SessionRecord => ({ ...template, id }))
  })

  const run = async (ids: readonly string[]) => {
    const outcomes: (readonly [id: string, outcome: string])[] = []
    const before = calls.length
    await search(ids, {
      resolve: (lookedUp, sessions) => {
        const found = new Set(sessions.map(({ id }) => id))
        outcomes.push(...lookedUp.map((id) => [id, found.has(id) ? 'found' : 'missing'] as const))
      },
      reject: (rejected, reason) => outcomes.push(...rejected.map((id) => [id, String(reason)] as const)),
      signal: deadline.signal,
    })
    return { outcomes: new Map(outcomes), settled: outcomes.length, calls: calls.slice(before) }
  }
  return run
}

const idsOf = (count: number, name = 'id'): readonly string[] =>
  Array.from({ length: count }, (_, place) => `${name}-${place}`)

describe('the search for a batch of sessions', () => {
  it('is one call when storage works', async () => {
    const ids = [...idsOf(499), 'missing']
    const { outcomes, calls } = await createSearch({ isBad: () => false })(ids)
    expect(calls).toEqual([ids])
    expect(outcomes).toEqual(new Map(ids.map((id) => [id, id === 'missing' ? 'missing' : 'found'])))
  })

  it.each([0, 1, 63, 64, 255, 498, 499])(
    'fails one of 500 sessions, number %i, with its own failure, in at most 27 calls',
    async (place) => {
      const ids = idsOf(500)
      const bad = `id-${place}`
      const { outcomes, settled, calls } = await createSearch({ isBad: (id) => id === bad })(ids)
      expect(outcomes).toEqual(new Map(ids.map((id) => [id, id === bad ? `Error: alone: ${bad}` : 'found'])))
      expect(settled).toBe(500)
      expect(calls.length).toBeLessThanOrEqual(27)
    },
  )

  it('fails each of several sessions, next to each other or far apart, and no other', async () => {
    const bad = new Set(['id-0', 'id-1', 'id-2', 'id-39', 'id-250', 'id-251', 'id-499'])
    const ids = idsOf(500)
    const { outcomes } = await createSearch({ isBad: (id) => bad.has(id) })(ids)
    expect(ids.filter((id) => outcomes.get(id) !== 'found')).toEqual([...bad])
  })

  it.each([
    [12, 0],
    [13, 27],
    [15, 25],
  ])('with %i unreadable sessions at the front of 40 fails %i of the others', async (count, expected) => {
    const ids = idsOf(40)
    const bad = new Set(ids.slice(0, count))
    const { outcomes } = await createSearch({ isBad: (id) => bad.has(id) })(ids)
    expect(ids.filter((id) => !bad.has(id) && outcomes.get(id) !== 'found')).toHaveLength(expected)
  })

  it('fails the sessions of one unavailable shard of three, and no other', async () => {
    const ids = idsOf(500)
    const isBad = (id: string): boolean => Number(id.slice(3)) % 3 === 0
    const { outcomes } = await createSearch({ isBad })(ids)
    expect(ids.filter((id) => outcomes.get(id) !== 'found')).toEqual(ids.filter(isBad))
  })

  it('never reports a failure as a missing session', async () => {
    const { outcomes } = await createSearch({ isBad: (id) => id === 'missing-bad' })(['missing', 'missing-bad', 'a'])
    expect(outcomes).toEqual(
      new Map([
        ['missing', 'missing'],
        ['missing-bad', 'Error: alone: missing-bad'],
        ['a', 'found'],
      ]),
    )
  })

  it('does not call again for a single session', async () => {
    const { outcomes, calls } = await createSearch({ isBad: () => true })(['a'])
    expect(calls).toEqual([['a']])
    expect(outcomes).toEqual(new Map([['a', 'Error: alone: a']]))
  })

  it('sends no call after the deadline', async () => {
    const { calls } = await createSearch({ isBad: () => true, lateAt: 3 })(idsOf(500))
    expect(calls).toHaveLength(3)
  })
})

describe('the search for a batch of sessions in a storage that is down', () => {
  it('rejects all 500 sessions after 17 calls, and those of later batches after three', async () => {
    const run = createSearch({ isBad: () => true })
    const first = await run(idsOf(500))
    expect(first.calls).toHaveLength(17)
    expect(first.settled).toBe(500)
    for (let batch = 0; batch < 10; batch += 1) {
      const { outcomes, settled, calls } = await run(idsOf(500, `batch-${batch}`))
      expect([outcomes.size, settled, calls.length]).toEqual([500, 500, 3])
      expect([...outcomes.values()]).not.toContain('found')
    }
  })

  it('sends few calls for later batches when the sixteenth rejected call was the last of its batch', async () => {
    const run = createSearch({ isBad: () => true })
    expect((await run(idsOf(11))).calls).toHaveLength(17)
    expect((await run(idsOf(500))).calls).toHaveLength(3)
  })

  it('rejects sessions that it did not look up with the failure of their batch, not with that of another session', async () => {
    const { outcomes } = await createSearch({ isBad: () => true })(idsOf(500))
    for (const [id, outcome] of outcomes) expect([`Error: alone: ${id}`, String(failure)]).toContain(outcome)
    expect(outcomes.get('id-499')).toBe(String(failure))
  })

  it('isolates sessions again after one successful call', async () => {
    let isDown = true
    const run = createSearch({ isBad: (id) => isDown || id === 'id-0' || id === 'id-1' || id === 'id-2' })
    await run(idsOf(500))
    isDown = false
    await run(['other'])
    const { outcomes } = await run(idsOf(500))
    expect([...outcomes].filter(([, outcome]) => outcome !== 'found').map(([id]) => id)).toEqual([
      'id-0',
      'id-1',
      'id-2',
    ])
  })
})
