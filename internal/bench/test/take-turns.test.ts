import { describe, expect, it } from 'vitest'
import { takeTurns } from '../src/take-turns.js'

const { signal } = new AbortController()

describe('takeTurns', () => {
  it('measures each contender once per round, in another order in each round', async () => {
    const contenders = Array.from({ length: 20 }, (_, number) => number)
    const turns: number[] = []
    const measured = await takeTurns(contenders, async (contender) => turns.push(contender), { rounds: 2, signal })
    expect(turns.slice(0, 20).toSorted((one, other) => one - other)).toEqual(contenders)
    expect(turns.slice(20)).not.toEqual(turns.slice(0, 20))
    expect([...measured.values()].map(({ length }) => length)).toEqual(contenders.map(() => 2))
  })

  it('starts no further turn after its signal has aborted', async () => {
    const early = new AbortController()
    const turns: string[] = []
    const measure = async (contender: string): Promise<void> => {
      turns.push(contender)
      if (turns.length === 2) early.abort(new Error('ended early'))
    }
    const run = takeTurns(['a', 'b', 'c'], measure, { rounds: 2, signal: early.signal })
    await expect(run).rejects.toThrow('ended early')
    expect(turns).toHaveLength(2)
  })
})
