import { describe, expect, it } from 'vitest'
import { parseSoakOptions } from '../../src/soak/soak-options.js'

const parse = (...args: readonly string[]) =>
  parseSoakOptions(args, { names: ['revocations', 'lost-responses'], createSeed: () => 7 })

describe('the options of a soak', () => {
  it('are 20 minutes, all scenarios and a new seed by default', () => {
    expect(parse()).toEqual({
      minutes: 20,
      seed: 7,
      only: ['revocations', 'lost-responses'],
    })
  })

  it('set the time, the seed and the scenarios', () => {
    const given = parse('--minutes', '0.5', '--seed', '42', '--only', 'lost-responses')
    expect(given).toEqual({ minutes: 0.5, seed: 42, only: ['lost-responses'] })
  })

  it.each([
    [
      'an unknown scenario',
      ['--only', 'login'],
      'Unknown scenario login. The scenarios are revocations, lost-responses.',
    ],
    ['a time that is no number', ['--minutes', 'long'], '--minutes must be a number of at least 0, not "long".'],
    ['an empty seed', ['--seed', ''], '--seed must be a number of at least 0, not "".'],
    ['an unknown option', ['--hours', '1'], "Unknown option '--hours'"],
  ])('reject %s', (_, args, message) => {
    expect(() => parse(...args)).toThrow(message)
  })
})
