import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../src/command-line.js'

const known = ['guard', 'login']

describe('the command line', () => {
  it('runs nothing without a name', () => {
    expect(parseCommandLine([], known).names).toEqual([])
  })

  it('runs the named comparisons', () => {
    expect(parseCommandLine(['login', '--rounds', '3'], known)).toEqual({
      names: ['login'],
      effort: { isSmoke: false, rounds: 3, seconds: 2, concurrency: 1, only: [] },
    })
  })

  it('runs all comparisons once with --smoke', () => {
    const { names, effort } = parseCommandLine(['--smoke'], known)
    expect({ names, rounds: effort.rounds }).toEqual({ names: known, rounds: 1 })
  })

  it('reads a list of contenders', () => {
    const { effort } = parseCommandLine(['guard', '--only', 'express,ours-memory'], known)
    expect(effort.only).toEqual(['express', 'ours-memory'])
  })

  it.each([
    [['gaurd'], 'Unknown comparison gaurd. The comparisons are guard, login.'],
    [['guard', '--rounds', '0'], '--rounds must be a number above 0, not "0".'],
    [['guard', '--seconds', 'two'], '--seconds must be a number above 0, not "two".'],
    [['guard', '--rounds', '1.5'], '--rounds must be an integer, not "1.5".'],
    [['guard', '--fast'], "Unknown option '--fast'"],
  ])('rejects %j', (args, message) => {
    expect(() => parseCommandLine(args, known)).toThrow(message)
  })
})
