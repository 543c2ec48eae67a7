import { usageError } from '@jwt-auth/core/internal'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalUsername } from '../src/index.js'

// The unit `binary` of fast-check takes a second to load.
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))

/** Every character of Unicode. */
const characters = Array.from({ length: 0x110000 }, (_, codePoint) => String.fromCodePoint(codePoint)).filter(
  (character) => /[^\p{Cn}\p{Co}\p{Cs}]/u.test(character),
)

describe('canonicalUsername', () => {
  it.each([
    ['a name in small letters', 'ann', 'ann'],
    ['an email address', 'ann.o-neil+tag@mail.example.com', 'ann.o-neil+tag@mail.example.com'],
    ['capital letters as small ones', 'Ann@Example.COM', 'ann@example.com'],
    ['every printable ASCII character', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'],
    ['no surrounding spaces', '  ann ', 'ann'],
    ['no surrounding ideographic space', '\u3000ann\u3000', 'ann'],
    ['inner spaces', 'Ann Lee', 'ann lee'],
    ['full-width letters as plain ones', '\uff21\uff4e\uff4e\uff11', 'ann1'],
    ['half-width katakana as plain ones', '\uff76\uff9e', '\u30ac'],
    ['an accent and its letter as one character', 'rene\u0301', 'ren\u00e9'],
    ['a capital letter and a mark as one character in lower case', 'H\u0331', '\u1e96'],
    ['a capital letter that becomes two characters in lower case', '\u0130da', 'i\u0307da'],
    ['a name of another script', '\u0418\u0432\u0430\u043d', '\u0438\u0432\u0430\u043d'],
    [
      'another script in each part of an address',
      '\u0438\u0432\u0430\u043d@\u043f\u043e\u0447\u0442\u0430.example',
      '\u0438\u0432\u0430\u043d@\u043f\u043e\u0447\u0442\u0430.example',
    ],
    ['a Japanese name of three scripts', '\u7530\u4e2d\u3055\u3093\u30a2', '\u7530\u4e2d\u3055\u3093\u30a2'],
    ['a name written from right to left', '\u05d3\u05d5\u05d312@example.com', '\u05d3\u05d5\u05d312@example.com'],
    ['the longest name', 'a'.repeat(255), 'a'.repeat(255)],
  ])('returns %s', (_, username, canonical) => {
    expect(canonicalUsername(username)).toBe(canonical)
  })

  // RFC 8265, section 3.5, tables 1 and 2; under UsernameCaseMapped.
  it.each([
    ['juliet@example.com', 'juliet@example.com'],
    ['fussball', 'fussball'],
    ['fu\u00dfball', 'fu\u00dfball'],
    ['\u03c0', '\u03c0'],
    ['\u03a3', '\u03c3'],
    ['\u03c3', '\u03c3'],
    ['\u03c2', '\u03c2'],
    ['', undefined],
    ['henry\u2163', undefined],
    ['\u221e', undefined],
  ])('returns, for the example %j of RFC 8265, %j', (username, canonical) => {
    expect(canonicalUsername(username)).toBe(canonical)
  })

  it.each([
    ['an empty name', ''],
    ['only spaces', '  '],
    ['a lone surrogate', 'ann\ud800'],
    ['two surrogates in the wrong order', '\udc00\ud800'],
    ['NUL', 'ann\0'],
    ['a trailing line feed', 'ann\n'],
    ['a leading tab', '\tann'],
    ['DEL', 'ann\u007f'],
    ['a control character of Latin-1', 'ann\u0085'],
    ['a no-break space', 'ann\u00a0lee'],
    ['a line separator', 'ann\u2028'],
    ['a zero-width space', 'a\u200bnn'],
    ['a zero-width joiner', 'a\u200dnn'],
    ['a byte order mark', '\ufeffann'],
    ['a soft hyphen', 'a\u00adnn'],
    ['a control of direction', 'ann\u202egpj'],
    ['an isolate of direction', '\u2066ann\u2069'],
    ['a variation selector', 'ann\ufe0f'],
    ['a tag character', 'ann\u{e0061}'],
    ['a Hangul filler', '\u3164'],
    ['an unassigned code point', 'ann\u{e1234}'],
    ['a noncharacter', 'ann\uffff'],
    ['a private-use character', 'ann\ue000'],
    ['a symbol', 'ann\u2665'],
    ['an emoji', 'ann\u{1f600}'],
    ['punctuation beyond ASCII', 'ann\u2019s'],
    ['a ligature', '\ufb01n'],
    ['a letter in a circle', '\u24d0nn'],
    ['a mathematical letter', '\u{1d41a}nn'],
    ['the Kelvin sign', '\u212a'],
    ['an Arabic letter that only stretches a word', '\u0628\u0640\u0628'],
    ['a wide macron, which stands for a space and a mark', 'a\uffe3'],
    ['a leading mark', '\u0301ann'],
    ['a Cyrillic letter among Latin ones', '\u0430nn'],
    ['a Greek letter among Latin ones', 'ann\u03bf'],
    ['a Cyrillic letter in the domain of an address', 'ann@ex\u0430mple.com'],
    ['an Armenian letter among Latin ones', '\u0585ann'],
    ['a Cherokee letter among Latin ones', 'ann\u13a0'],
    ['Latin letters among Hebrew ones', '\u05d3\u05d5\u05d3ann'],
    ['a digit before Hebrew letters', '1\u05d3\u05d5\u05d3'],
    ['a dash after Hebrew letters', '\u05d3\u05d5\u05d3-'],
    ['256 characters', 'a'.repeat(256)],
    ['256 characters, most of them spaces', `ann${' '.repeat(253)}`],
    ['a name that is too long in lower case', '\u0130'.repeat(128)],
  ])('returns undefined for %s', (_, username) => {
    expect(canonicalUsername(username)).toBeUndefined()
  })

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    [7, '7'],
    [{}, 'an object'],
  ])('throws a TypeError that names the function for %j', (username, received) => {
    expect(() => callUntyped(canonicalUsername, username)).toThrow(
      usageError('canonicalUsername', `canonicalUsername needs the name as text; received ${received}.`),
    )
  })

  it('returns a canonical name without invisible characters, for every character of Unicode', () => {
    const odd = characters.filter((character) => {
      const canonical = canonicalUsername(`a${character}1`)
      if (canonical === undefined) return false
      return canonicalUsername(canonical) !== canonical || /[\p{C}\p{Zl}\p{Zp}\u00a0]/u.test(canonical)
    })
    expect(odd).toEqual([])
  })

  it('returns a canonical name unchanged', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.string({
        unit: fc.constantFrom('A', '\u0130', '\u03a3', '\u0301', '\u0345', ' ', '\uff21', '\u1e9e'),
        maxLength: 8,
      }),
    )
    fc.assert(
      fc.property(text, (username) => {
        const canonical = canonicalUsername(username)
        expect(canonical === undefined ? undefined : canonicalUsername(canonical)).toBe(canonical)
      }),
      { numRuns: 500 },
    )
  })

  it('returns the same form for every spelling of a name', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcxyz\u00e9\u00fc\u00f1'), minLength: 1, maxLength: 10 })
    const spellings = [
      (name: string) => name.toUpperCase(),
      (name: string) => name.normalize('NFD'),
      (name: string) => ` ${name}  `,
      (name: string) => name.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
    ]
    fc.assert(
      fc.property(letters, fc.constantFrom(...spellings), (name, spell) => {
        expect(canonicalUsername(spell(name))).toBe(name)
      }),
    )
  })
})
