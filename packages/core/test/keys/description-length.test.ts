import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { measureDescription } from '../../src/keys/description-length.js'
import { guessableWords } from '../../src/keys/guessable-words.js'

const measure = (text: string) => measureDescription(Buffer.from(text, 'latin1'))

// One of 13 sets of characters, and one of five separators or none.
const preamble = Math.log2(13) + Math.log2(6)

/** The bits of the parts of a text. */
const partsOf = (text: string): number => measure(text).words - preamble

const [first, second, third] = guessableWords.map(({ size }) => Math.log2(size))
const [kindOfWord, kindOfCharacter, kindOfOther] = [1, 2, 3]

/** The bits of a word of the first list in lower case. */
const frequentWord = kindOfWord + 1 + (first ?? 0) + 1

describe('the length of a description by words', () => {
  it.each([
    ['first', 'secret', 1 + (first ?? 0)],
    ['second', 'changeme', 2 + (second ?? 0)],
    ['third', 'baseball', 2 + (third ?? 0)],
  ])('names a word of the %s list by the list and the place in the list: %s', (_, word, bits) => {
    expect(partsOf(word)).toBeCloseTo(kindOfWord + bits + 1, 9)
  })

  it.each([
    ['with a capital', 'Secret', 1],
    ['in upper case', 'SECRET', 2],
    ['with digits in place of letters', 's3cr3t', 2 + 5 * Math.log2(3)],
    ['with a capital and digits', 'S3cr3t', 2 + 5 * Math.log2(3)],
    ['in upper case with digits', 'S3CR3T', 2 + 5 * Math.log2(3)],
  ])('has more bits for a word %s: %s', (_, word, bits) => {
    expect(partsOf(word)).toBeCloseTo(frequentWord + bits, 9)
  })

  it.each([
    ['l', 'he11o', third, 4],
    ['i', 'adm1n', second, 2],
  ])('reads the digit 1 as %s: %s', (_, text, list, replaceable) => {
    const spelling = 3 + (1 + replaceable) * Math.log2(3)
    expect(partsOf(text)).toBeCloseTo(kindOfWord + 2 + (list ?? 0) + spelling, 9)
  })

  it('has the bits of single characters for a mixture of upper and lower case', () => {
    expect(partsOf('sEcReT')).toBeCloseTo(6 * (kindOfCharacter + Math.log2(52)), 9)
  })

  it.each(['secret-key-token', 'secret-keytoken', 'secretkey-token'])(
    'says after each word whether the separator follows: %s',
    (text) => {
      expect(partsOf(text)).toBeCloseTo(3 * (frequentWord + 1), 9)
    },
  )

  it('includes a character between two words that is not the separator', () => {
    expect(partsOf('secret-keyxtoken')).toBeCloseTo(3 * (frequentWord + 1) + kindOfCharacter + Math.log2(64), 9)
  })
})

describe('the length of a description by characters', () => {
  it('has the bits of each character in the smallest set', () => {
    expect(partsOf('kD8w')).toBeCloseTo(4 * (kindOfCharacter + Math.log2(62)), 9)
    expect(partsOf('\xff\xe0')).toBeCloseTo(2 * (kindOfCharacter + 8), 9)
  })

  it('includes the choice of the characters that occur', () => {
    const { characters, charactersAndSet } = measure('kD8w')
    expect(characters).toBe(8)
    // 62 characters, of which 4 are chosen.
    const chosen = (62 * 61 * 60 * 59) / (4 * 3 * 2)
    expect(charactersAndSet - characters).toBeCloseTo(Math.log2(13) + Math.log2(62) + Math.log2(chosen), 9)
  })

  it('is at least that of random characters for random bytes', () => {
    const bytes = createHash('sha256').update('some seed').digest()
    const { characters, charactersAndSet, words } = measureDescription(bytes)
    expect(characters).toBeLessThan(charactersAndSet)
    expect(words).toBeGreaterThan(8 * bytes.length)
  })
})

describe('the length of a description by repetitions and sequences', () => {
  /** The number of places that the second half of a text may repeat. */
  const placesBefore = (half: string): number => {
    const bits = partsOf(half + half) - partsOf(half)
    return 2 ** (bits - kindOfOther - Math.log2(2 * half.length))
  }

  it('names a repetition by one of the places before it, and by its length', () => {
    expect(placesBefore('kD8w')).toBeGreaterThan(4)
    expect(placesBefore('kD8wQz3!') - placesBefore('kD8wXj3Q')).toBeCloseTo(0, 6)
    expect(placesBefore('kD8wXj3Q') - placesBefore('kD8w')).toBeCloseTo(4, 6)
  })

  it('grows little with each repetition', () => {
    expect(partsOf('kD8w-Qz3'.repeat(8))).toBeLessThan(partsOf('kD8w-Qz3') + 20)
  })

  it('includes the bits of a character that follows a repetition', () => {
    expect(partsOf(`${'kD8w-Qz3'.repeat(2)}~`)).toBeGreaterThan(partsOf('kD8w-Qz3'.repeat(2)) + 8)
  })

  it('names a sequence by its first byte, its step and its length', () => {
    expect(partsOf('BEHKNQTWZ')).toBeCloseTo(kindOfOther + 8 + 8 + Math.log2(9), 9)
    expect(partsOf('xBEHKNQTWZ') - partsOf('BEHKNQTWZ')).toBeGreaterThan(kindOfCharacter + Math.log2(52))
  })
})

describe('the length of a description', () => {
  it('satisfies the inequality of Kraft over all texts of one length', () => {
    const texts = ['a', 'b', '1', '-'].flatMap((one, _, all) =>
      all.flatMap((two) => all.flatMap((three) => all.map((four) => one + two + three + four))),
    )
    const sumOfAll = texts.map((text) => 2 ** -measure(text).words).reduce((sum, part) => sum + part, 0)
    expect(sumOfAll).toBeLessThanOrEqual(1)
  })
})
