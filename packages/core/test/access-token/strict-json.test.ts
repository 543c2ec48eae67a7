import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStrictObject } from '../../src/access-token/strict-json.js'

const parse = (text: string) => parseStrictObject(Buffer.from(text, 'utf8'))

describe('strict JSON', () => {
  it('reads every object that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (object) => {
        fc.pre(!JSON.stringify(object).includes('"__proto__"'))
        expect(parse(JSON.stringify(object))).toEqual(JSON.parse(JSON.stringify(object)))
      }),
    )
  })

  it('reads no object with a duplicate name, in any spelling and at any depth', () => {
    const escaped = (name: string): string =>
      `"${[...Array(name.length).keys()].map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
    fc.assert(
      fc.property(
        fc.string({ maxLength: 5 }),
        fc.jsonValue({ maxDepth: 1 }),
        fc.boolean(),
        fc.constantFrom('', ' ', '\n\t'),
        fc.nat({ max: 3 }),
        (name, value, isEscaped, space, depth) => {
          const member = JSON.stringify(value)
          const second = isEscaped ? escaped(name) : JSON.stringify(name)
          const object = `{${JSON.stringify(name)}:${member},${space}${second}${space}:${member}}`
          expect(() => JSON.parse(object)).not.toThrow()
          expect(parse(`${'{"a":['.repeat(depth)}${object}${']}'.repeat(depth)}`)).toBeUndefined()
        },
      ),
    )
  })

  it.each([
    ['braces and colons within strings', '{"a":"{\\"b\\":1,\\"b\\":2}","c":"]:["}'],
    ['a name in different objects', '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}'],
    ['names that differ in case', '{"a":1,"A":2}'],
    ['a backslash at the end of a string', '{"a\\\\":1,"a":2}'],
    ['an empty name', '{"":1}'],
    ['names that every object inherits', '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
  ])('reads %s', (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['empty text', ''],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"{}"'],
    ['two objects', '{}{}'],
    ['a comment', '{}//'],
    ['a trailing comma', '{"a":1,}'],
    ['NaN', '{"a":NaN}'],
    ['an empty name twice', '{"":1,"":2}'],
    ['__proto__ with null', '{"__proto__":null}'],
  ])('does not read %s', (_, text) => {
    expect(parse(text)).toBeUndefined()
  })
})
