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
      effort: { isSmoke: false, rounds: 3, seconds: 2, atOnce: 1, only: [] },
    })
  })

  it('with --smoke runs all of them once, and writes nothing', () => {
    const { names, writes, effort } = readCommandLine(['--smoke', '--write'], known)
    expect({ names, writes, rounds: effort.rounds }).toEqual({ names: known, writes: false, rounds: 1 })
  })

  it('reads a list of contenders', () => {
    const { effort } = readCommandLine(['guard', '--only', 'express,ours-memory'], known)
    expect(effort.only).toEqual(['express', 'ours-memory'])
  })

  it.each([
    [['gaurd'], 'There is no comparison gaurd; there are guard, login.'],
    [['guard', '--rounds', '0'], '--rounds takes a number above 0, not 0.'],
    [['guard', '--seconds', 'two'], '--seconds takes a number above 0, not two.'],
    [['guard', '--rounds', '1.5'], '--rounds takes a whole number, not 1.5.'],
    [['guard', '--only', 'express', '--write'], '--only leaves rows out'],
    [['guard', '--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (args, message) => {
    expect(() => readCommandLine(args, known)).toThrow(message)
  })
})
