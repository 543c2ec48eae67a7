import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toFormParameters } from '../../src/wire/read-body.js'

describe('the parameters of a form', () => {
  it('are read in one pass, for any number of names', () => {
    let visited = 0
    const names = function* () {
      for (let number = 0; number < 5_487; number += 1) {
        visited += 1
        yield [String(number), ''] as const
      }
    }
    expect(Object.keys(toFormParameters(names()))).toHaveLength(5_487)
    expect(visited).toBe(5_487)
  })

  it('are the value of each name, or a list for a name with several values', () => {
    const entries = fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', '__proto__', 'constructor'), fc.string()))
    fc.assert(
      fc.property(entries, (given) => {
        const form = new URLSearchParams(given)
        const parameters = toFormParameters(form)
        expect(Object.keys(parameters).toSorted()).toEqual([...new Set(form.keys())].toSorted())
        for (const [name, value] of Object.entries(parameters)) {
          expect(typeof value === 'string' ? [value] : value).toEqual(form.getAll(name))
          expect(Array.isArray(value)).toBe(form.getAll(name).length > 1)
        }
      }),
    )
  })
})
