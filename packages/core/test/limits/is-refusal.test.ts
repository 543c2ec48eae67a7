import { describe, expect, it } from 'vitest'
import { isRefusal } from '../../src/limits/limiter.js'

describe("a limiter's rejection", () => {
  it.each([
    ['a state', { msBeforeNext: 1_000, consumedPoints: 11, remainingPoints: 0 }],
    ['a state that says no more than when to come back', { msBeforeNext: 0 }],
  ])('is a refusal when it is %s', (_, thrown) => {
    expect(isRefusal(thrown)).toBe(true)
  })

  it.each([
    ['an error', new Error('connection lost')],
    ['an error that tells a time', Object.assign(new Error('timeout'), { msBeforeNext: 1_000 })],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'msBeforeNext'],
    ['a function', Object.assign(() => {}, { msBeforeNext: 1_000 })],
    ['an object without a time', {}],
    ['an object with a time that is no number', { msBeforeNext: '1000' }],
  ])('is a failure when it is %s', (_, thrown) => {
    expect(isRefusal(thrown)).toBe(false)
  })
})
