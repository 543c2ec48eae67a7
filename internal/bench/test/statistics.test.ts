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

  it('of no values throws', () => {
    expect(() => median([])).toThrow('A quantile needs values.')
  })
})

describe('a quantile', () => {
  it('is interpolated between neighbouring values', () => {
    expect(quantile([10, 20, 30, 40, 50], 0.25)).toBe(20)
    expect(quantile([10, 20], 0.75)).toBe(17.5)
  })

  it('is the minimum at 0 and the maximum at 1', () => {
    expect([quantile([2, 9, 4], 0), quantile([2, 9, 4], 1)]).toEqual([2, 9])
  })
})

describe('values in pairs', () => {
  it('are combined round by round, without sorting', () => {
    expect(inPairs([10, 40], [5, 10], (a, b) => a / b)).toEqual([2, 4])
  })

  it('must have the same number of rounds', () => {
    expect(() => inPairs([1, 2], [1], (a) => a)).toThrow('The contenders were measured in different rounds.')
  })
})
