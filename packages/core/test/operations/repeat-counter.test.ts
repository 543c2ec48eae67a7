import { describe, expect, it } from 'vitest'
import { createRepeatCounter } from '../../src/operations/refresh-watch.js'

describe('the counter of repeats', () => {
  it('counts each replaced token separately', () => {
    const count = createRepeatCounter()
    expect([count('a'), count('a'), count('b'), count('a')]).toEqual([1, 2, 1, 3])
  })

  it('forgets the least recently repeated token beyond 10,000 tokens', () => {
    const count = createRepeatCounter()
    count('oldest')
    count('kept')
    for (let number = 2; number < 10_000; number += 1) count(`token-${number}`)
    expect(count('oldest')).toBe(2)
    count('one more')
    expect([count('oldest'), count('token-2')]).toEqual([3, 2])
    expect(count('kept')).toBe(1)
  })
})
