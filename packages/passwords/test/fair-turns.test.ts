import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFairTurns, type FairTurns } from '../src/fair-turns.js'

interface Entry {
  readonly name: string
}

/** Adds entries named after their path: `a/x` waits at the path a, x. */
const addAll = (turns: FairTurns<Entry>, names: string): (() => void)[] =>
  names.split(' ').map((name) => turns.add(name.split('/'), { name }))

const take = (turns: FairTurns<Entry>, count = turns.countAt([])): string =>
  Array.from({ length: count }, () => turns.takeNext([])?.name).join(' ')

const turnsOf = (names: string): FairTurns<Entry> => {
  const turns = createFairTurns<Entry>()
  addAll(turns, names)
  return turns
}

describe('takeNext', () => {
  it.each([
    ['serves one branch in the order of arrival', 'a a a', 'a a a'],
    ['serves branches in rounds', 'a a a b b c', 'a b c a b a'],
    ['serves the branches of each level in rounds', 'a/x a/x a/y b/z b/z', 'a/x b/z a/y b/z a/x'],
    ['gives a branch no more turns for having many branches', 'a/1 a/2 a/3 a/4 b/1', 'a/1 b/1 a/2 a/3 a/4'],
  ])('%s', (_, names, taken) => {
    expect(take(turnsOf(names))).toBe(taken)
  })

  it('serves a branch that has just started to wait before a branch that was served', () => {
    const turns = turnsOf('a a a a b b')
    expect(take(turns, 3)).toBe('a b a')
    addAll(turns, 'c')
    expect(take(turns)).toBe('c b a a')
  })

  it('serves a branch that was served after at most three branches that have just started to wait', () => {
    const turns = turnsOf('a a a a')
    expect(take(turns, 1)).toBe('a')
    addAll(turns, 'b c d e f g h')
    expect(take(turns)).toBe('b c d a e f g a h a')
  })

  it('keeps the turn of a branch that was served when another of its entries starts to wait', () => {
    const turns = turnsOf('a a b b')
    expect(take(turns, 2)).toBe('a b')
    addAll(turns, 'b')
    expect(take(turns)).toBe('a b b')
  })

  it('serves a branch that has just started to wait after three others, when no other branch waits any longer', () => {
    const turns = createFairTurns<Entry>()
    const [, removeA] = addAll(turns, 'a a')
    expect(take(turns, 1)).toBe('a')
    addAll(turns, 'b c d e')
    expect(take(turns, 3)).toBe('b c d')
    removeA?.()
    expect(take(turns)).toBe('e')
  })

  it('serves only the branch at a path', () => {
    const turns = turnsOf('a/x b/z a/y')
    expect([turns.takeNext(['a']), turns.takeNext(['a']), turns.takeNext(['a'])]).toEqual([
      { name: 'a/x' },
      { name: 'a/y' },
      undefined,
    ])
    expect(take(turns)).toBe('b/z')
  })

  it('skips removed entries', () => {
    const turns = createFairTurns<Entry>()
    const [, removeB] = addAll(turns, 'a b c')
    removeB?.()
    removeB?.()
    expect(turns.countAt([])).toBe(2)
    expect(take(turns)).toBe('a c')
    expect(turns.takeNext([])).toBeUndefined()
    expect(turns.countAt([])).toBe(0)
    expect(turns.entriesAt(['a'])).toEqual([])
  })

  it('returns every entry exactly once, and the entries of each branch in order', () => {
    const path = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('x', 'y'))
    const step = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), path }),
      fc.record({ kind: fc.constant('take' as const) }),
      fc.record({ kind: fc.constant('remove' as const), position: fc.nat(9) }),
      fc.record({ kind: fc.constant('evict' as const) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const turns = createFairTurns<Entry>()
        let waiting: { readonly entry: Entry; readonly remove: () => void }[] = []
        const forget = (entry: Entry | undefined): void => {
          expect(waiting.map((one) => one.entry)).toContain(entry)
          waiting = waiting.filter((one) => one.entry !== entry)
        }
        for (const one of steps) {
          if (one.kind === 'add') {
            const entry = { name: one.path.join('/') }
            waiting.push({ entry, remove: turns.add(one.path, entry) })
          } else if (one.kind === 'remove') {
            const removed = waiting[one.position]
            removed?.remove()
            if (removed !== undefined) forget(removed.entry)
          } else if (waiting.length > 0) {
            const entry = one.kind === 'take' ? turns.takeNext([]) : turns.evictNewestOfLargest([])
            const branch = waiting.filter(({ entry: { name } }) => name === entry?.name)
            expect(entry).toBe(branch.at(one.kind === 'take' ? 0 : -1)?.entry)
            forget(entry)
          }
          expect(turns.countAt([])).toBe(waiting.length)
          expect(new Set(turns.entriesAt([]))).toEqual(new Set(waiting.map(({ entry }) => entry)))
          for (const name of ['a', 'b', 'c', 'a/x', 'b/y']) {
            expect(turns.countAt(name.split('/'))).toBe(
              waiting.filter(({ entry }) => entry.name.startsWith(name)).length,
            )
          }
        }
        expect(take(turns).split(' ').filter(Boolean)).toHaveLength(waiting.length)
      }),
    )
  })
})

describe('evictNewestOfLargest', () => {
  it.each([
    ['takes from the branch with most entries', 'a b b c', [], 'b'],
    ['descends level by level', 'a/x a/x b/x b/y b/z', [], 'b/z'],
    ['takes from the newest of equal branches', 'a b c', [], 'c'],
    ['takes below a path', 'a/x a/y a/y b/x b/x b/x b/x', ['a'], 'a/y'],
    ['returns undefined when nothing waits', 'a', ['b'], undefined],
  ])('%s', (_, names, path, expected) => {
    const turns = turnsOf(names)
    expect(turns.evictNewestOfLargest(path)?.name).toBe(expected)
    expect(turns.countAt([])).toBe(names.split(' ').length - (expected === undefined ? 0 : 1))
  })
})

describe('countAhead', () => {
  it.each([
    ['is 0 when nothing waits', undefined, 'a', 0],
    ['counts the own branch', 'a a a', 'a', 3],
    ['counts one entry of each other branch for a new branch', 'a a a b b c', 'd', 3],
    ['counts as many entries of other branches as the own branch has turns', 'a a a b c', 'b', 4],
    ['counts the turns of wider branches', 'a/x a/x a/y b/x', 'a/z', 3],
  ])('%s', (_, names, path, expected) => {
    const turns = names === undefined ? createFairTurns<Entry>() : turnsOf(names)
    expect(turns.countAhead([], path.split('/'))).toBe(expected)
  })
})
