import { describe, expect, it } from 'vitest'
import { takeTurns } from '../src/measure/take-turns.js'

const { signal } = new AbortController()

describe('takeTurns', () => {
  it('measures each contender once per round, and ends a round before it starts the next', async () => {
    const turns: string[] = []
    const measured = await takeTurns(
      ['a', 'b', 'c'],
      async (contender, round) => {
        turns.push(`${round}${contender}`)
        return round
      },
      { rounds: 4, concurrency: 1, signal },
    )
    expect(turns.map((turn) => turn[0]).join('')).toBe('000111222333')
    expect(turns.toSorted()).toEqual(['0a', '0b', '0c', '1a', '1b', '1c', '2a', '2b', '2c', '3a', '3b', '3c'])
    expect([...measured]).toEqual([
      ['a', [0, 1, 2, 3]],
      ['b', [0, 1, 2, 3]],
      ['c', [0, 1, 2, 3]],
    ])
  })

  it('changes the order in each round', async () => {
    const turns: number[] = []
    const contenders = Array.from({ length: 20 }, (_, number) => number)
    await takeTurns(contenders, async (contender) => turns.push(contender), { rounds: 2, concurrency: 1, signal })
    expect(turns.slice(0, 20)).not.toEqual(turns.slice(20))
  })

  it('starts no further turn after its signal has aborted', async () => {
    const early = new AbortController()
    const turns: string[] = []
    const measure = async (contender: string): Promise<void> => {
      turns.push(contender)
      if (turns.length === 2) early.abort(new Error('ended early'))
    }
    const run = takeTurns(['a', 'b', 'c'], measure, { rounds: 2, concurrency: 1, signal: early.signal })
    await expect(run).rejects.toThrow('ended early')
    expect(turns).toHaveLength(2)
  })

  it('measures contenders one at a time, or as many concurrently as requested', async () => {
    const countConcurrent = async (concurrency: number): Promise<number> => {
      let running = 0
      let most = 0
      const measure = async (): Promise<void> => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      }
      await takeTurns([1, 2, 3, 4, 5], measure, { rounds: 2, concurrency, signal })
      return most
    }
    expect([await countConcurrent(1), await countConcurrent(3)]).toEqual([1, 3])
  })
})
