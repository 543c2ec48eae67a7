import { describe, expect, it } from 'vitest'
import { takeTurns } from '../src/measure/take-turns.js'

const { signal } = new AbortController()

describe('contenders that take turns', () => {
  it('are each measured once in every round, and a round ends before the next begins', async () => {
    const turns: string[] = []
    const measured = await takeTurns(
      ['a', 'b', 'c'],
      async (contender, round) => {
        turns.push(`${round}${contender}`)
        return round
      },
      { rounds: 4, atOnce: 1, signal },
    )
    expect(turns.map((turn) => turn[0]).join('')).toBe('000111222333')
    expect(turns.toSorted()).toEqual(['0a', '0b', '0c', '1a', '1b', '1c', '2a', '2b', '2c', '3a', '3b', '3c'])
    expect([...measured]).toEqual([
      ['a', [0, 1, 2, 3]],
      ['b', [0, 1, 2, 3]],
      ['c', [0, 1, 2, 3]],
    ])
  })

  it('come in an order that changes', async () => {
    const turns: number[] = []
    const contenders = Array.from({ length: 20 }, (_, number) => number)
    await takeTurns(contenders, async (contender) => turns.push(contender), { rounds: 2, atOnce: 1, signal })
    expect(turns.slice(0, 20)).not.toEqual(turns.slice(20))
  })

  it('have no further turn once the run is to end early', async () => {
    const early = new AbortController()
    const turns: string[] = []
    const measure = async (contender: string): Promise<void> => {
      turns.push(contender)
      if (turns.length === 2) early.abort(new Error('ended early'))
    }
    const run = takeTurns(['a', 'b', 'c'], measure, { rounds: 2, atOnce: 1, signal: early.signal })
    await expect(run).rejects.toThrow('ended early')
    expect(turns).toHaveLength(2)
  })

  it('are measured alone, or as many at once as is asked for', async () => {
    const countAtOnce = async (atOnce: number): Promise<number> => {
      let running = 0
      let most = 0
      const measure = async (): Promise<void> => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      }
      await takeTurns([1, 2, 3, 4, 5], measure, { rounds: 2, atOnce, signal })
      return most
    }
    expect([await countAtOnce(1), await countAtOnce(3)]).toEqual([1, 3])
  })
})
