import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBoundedCache } from '../src/bounded-cache.js'

describe('a bounded cache', () => {
  it('has the entries of a list that drops the least recently used ones, for any calls and sizes', () => {
    const call = fc.record({
      name: fc.constantFrom('get', 'set', 'set', 'set', 'delete'),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    })
    const sized = fc.tuple(call, fc.integer({ min: 1, max: 6 }))
    fc.assert(
      fc.property(fc.array(sized, { maxLength: 40 }), (calls) => {
        const cache = createBoundedCache<number>(12, (size) => size)
        let list: (readonly [string, number])[] = []
        for (const [{ name, key }, size] of calls) {
          const held = list.find(([other]) => other === key)
          const others = list.filter((entry) => entry !== held)
          if (name === 'get') {
            expect(cache.get(key)).toBe(held?.[1])
            if (held !== undefined) list = [...others, held]
          } else if (name === 'delete') {
            expect(cache.delete(key)).toBe(held !== undefined)
            list = others
          } else {
            cache.set(key, size)
            list = [...others, [key, size]]
            while (list.reduce((sum, [, each]) => sum + each, 0) > 12) list.shift()
          }
          expect([...cache.values()]).toEqual(list.map(([, each]) => each))
        }
      }),
    )
  })

  it('of 10,240 entries keeps the 10,230 newest when one is added', () => {
    const cache = createBoundedCache<number>(10_240)
    const numbers = Array.from({ length: 10_241 }, (_, number) => number)
    for (const number of numbers) cache.set(`${number}`, number)
    expect([...cache.values()]).toEqual(numbers.slice(11))
  })
})
