import { describe, expect, it } from 'vitest'
import { readSoakOptions } from '../../src/soak/soak-options.js'

const read = (...args: readonly string[]) =>
  readSoakOptions(args, { names: ['revocations', 'lost-answers'], drawSeed: () => 7 })

describe('the options of a soak', () => {
  it('are twenty minutes of everything with a seed of its own by default', () => {
    expect(read()).toEqual({
      minutes: 20,
      seed: 7,
      only: ['revocations', 'lost-answers'],
      isPlanted: false,
    })
  })

  it('choose time, seed and scenarios', () => {
    const given = read('--minutes', '0.5', '--seed', '42', '--only', 'lost-answers')
    expect(given).toEqual({ minutes: 0.5, seed: 42, only: ['lost-answers'], isPlanted: false })
  })

  it('choose planted bugs', () => {
    expect(read('--planted')).toMatchObject({ isPlanted: true })
  })

  it.each([
    ['an unknown scenario', ['--only', 'login'], 'There is no scenario login; there are revocations, lost-answers.'],
    ['a time that is no number', ['--minutes', 'long'], '--minutes takes a number, not long.'],
    ['an empty seed', ['--seed', ''], '--seed takes a number, not .'],
    ['an unknown option', ['--hours', '1'], "Unknown option '--hours'"],
  ])('refuse %s', (_, args, message) => {
    expect(() => read(...args)).toThrow(message)
  })
})
