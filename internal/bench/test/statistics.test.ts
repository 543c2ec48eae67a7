import { describe, expect, it } from 'vitest'
import { inPairs, median, quantile } from '../src/measure/statistics.js'

describe('the median', () => {
  it.each([
    [[3], 3],
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected)
  })

  it('of nothing is an error', () => {
    expect(() => median([])).toThrow('There are no values.')
  })
})

describe('a quantile', () => {
  it('lies between the values beside its place', () => {
    expect(quantile([10, 20, 30, 40, 50], 0.25)).toBe(20)
    expect(quantile([10, 20], 0.75)).toBe(17.5)
  })

  it('at the ends is the least and the greatest', () => {
    expect([quantile([2, 9, 4], 0), quantile([2, 9, 4], 1)]).toEqual([2, 9])
  })
})

describe('values in pairs', () => {
  it('are combined round by round, not sorted first', () => {
    expect(inPairs([10, 40], [5, 10], (a, b) => a / b)).toEqual([2, 4])
  })

  it('must be there for every round', () => {
    expect(() => inPairs([1, 2], [1], (a) => a)).toThrow('A round is missing.')
  })
})
