import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseForm } from '../../src/wire/read-body.js'

it('the parameters of a form are the value of each name, and no text for a name with several values', () => {
  const entries = fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', '__proto__', 'constructor'), fc.string()))
  fc.assert(
    fc.property(entries, (given) => {
      const form = new URLSearchParams(given)
      const expected = [...new Set(form.keys())].map((name) => {
        const [value, ...others] = form.getAll(name)
        return [name, others.length > 0 ? false : value]
      })
      expect(Object.entries(parseForm(form.toString()))).toEqual(expected)
    }),
  )
})
