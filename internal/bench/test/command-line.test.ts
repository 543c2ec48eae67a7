import { describe, expect, it } from 'vitest'
import { readCommandLine } from '../src/command-line.js'

const known = ['guard', 'login']

describe('the command line', () => {
  it('without a name runs nothing', () => {
    expect(readCommandLine([], known).names).toEqual([])
  })

  it('runs the comparisons it names', () => {
    expect(readCommandLine(['login', '--rounds', '3', '--write'], known)).toEqual({
      names: ['login'],
      writes: true,
      effort: { isSmoke: false, rounds: 3, seconds: 2, atOnce: 1, only: [], sizes: [100_000, 1_000_000, 5_000_000] },
    })
  })

  it('with --smoke runs all of them once, and writes nothing', () => {
    const { names, writes, effort } = readCommandLine(['--smoke', '--write'], known)
    expect({ names, writes, rounds: effort.rounds }).toEqual({ names: known, writes: false, rounds: 1 })
  })

  it('reads lists of contenders and of sizes', () => {
    const { effort } = readCommandLine(['guard', '--only', 'express,ours-memory', '--sizes', '1000,2000'], known)
    expect([effort.only, effort.sizes]).toEqual([
      ['express', 'ours-memory'],
      [1_000, 2_000],
    ])
  })

  it.each([
    [['gaurd'], 'There is no comparison gaurd; there are guard, login.'],
    [['guard', '--rounds', '0'], '--rounds takes a number above 0, not 0.'],
    [['guard', '--seconds', 'two'], '--seconds takes a number above 0, not two.'],
    [['guard', '--sizes', '1000,'], '--sizes takes a number above 0, not .'],
    [['guard', '--rounds', '1.5'], '--rounds takes a whole number, not 1.5.'],
    [['guard', '--sizes', '1000,30.5'], '--sizes takes a whole number, not 30.5.'],
    [['guard', '--only', 'express', '--write'], '--only leaves rows out'],
    [['guard', '--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (args, message) => {
    expect(() => readCommandLine(args, known)).toThrow(message)
  })
})
