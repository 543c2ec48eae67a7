import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../src/command-line.js'

const known = ['guard', 'login']

describe('the command line', () => {
  it('runs nothing without a name', () => {
    expect(parseCommandLine([], known).names).toEqual([])
  })

  it('runs the named comparisons', () => {
    expect(parseCommandLine(['login', '--rounds', '3', '--write'], known)).toEqual({
      names: ['login'],
      writes: true,
      effort: { isSmoke: false, rounds: 3, seconds: 2, concurrency: 1, only: [] },
    })
  })

  it('runs all comparisons once and writes nothing with --smoke', () => {
    const { names, writes, effort } = parseCommandLine(['--smoke', '--write'], known)
    expect({ names, writes, rounds: effort.rounds }).toEqual({ names: known, writes: false, rounds: 1 })
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
    [['guard', '--only', 'express', '--write'], '--only and --write cannot be used together'],
    [['guard', '--fast'], "Unknown option '--fast'"],
  ])('rejects %j', (args, message) => {
    expect(() => parseCommandLine(args, known)).toThrow(message)
  })
})
