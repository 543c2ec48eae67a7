import assert from 'node:assert/strict'
import { describe, expect, it } from 'vitest'
import { describeFailure } from '../src/format-report.js'

const failureOf = (check: () => void): unknown => {
  try {
    check()
  } catch (error) {
    return error
  }
  throw new Error('the check passed')
}

describe('describeFailure', () => {
  it.each([
    [[{ id: 'a', label: '' }], [{ id: 'a', label: null }], "at [0].label: expected null, received ''"],
    [[1], [1, 2], 'at [1]: expected 2, received undefined'],
    [new Set(['stale']), new Set(['rotated']), "expected Set(1) { 'rotated' }, received Set(1) { 'stale' }"],
  ])('names the first difference of %j and %j', (actual, expected, text) => {
    expect(describeFailure(failureOf(() => assert.deepEqual(actual, expected)))).toBe(text)
  })

  it('names a missing value', () => {
    const failure = failureOf(() => assert.deepEqual(undefined, { id: 'a' }))
    expect(describeFailure(failure)).toBe("expected { id: 'a' }, received undefined")
  })

  it('cuts off a long value', () => {
    expect(describeFailure(failureOf(() => assert.equal('x'.repeat(500), 'y'))).length).toBeLessThan(200)
  })

  it('returns the first line of every other message', () => {
    const assertion = failureOf(() => assert.equal(1, 2, '\nthe count is wrong\nmore'))
    expect(describeFailure(assertion)).toBe('the count is wrong')
    expect(describeFailure('text')).toBe('text')
  })
})
