import { guessableWords } from './guessable-words.js'

/** The lengths of three descriptions of some bytes, in bits. */
export interface DescriptionLength {
  /** The bytes one by one, when the set of the bytes that occur is known. Random characters have this many bits. */
  readonly characters: number
  /** The bytes one by one, together with the set of the bytes that occur. */
  readonly charactersAndSet: number
  /** The shortest description by words, repetitions, sequences and characters. */
  readonly words: number
}

/**
 * Measures the shortest descriptions of bytes. A description identifies the bytes among all bytes of this length. No description
 * is the beginning of another. So fewer than 2^b byte sequences have a description of b bits or less (Kraft's inequality). A
 * generator with 2^h equally likely results therefore produces a result whose description has at most h - d bits with a
 * probability below 2^-d, for any lists of words.
 */
export const measureDescription = (bytes: Buffer): DescriptionLength => {
  const text = bytes.toString('latin1')
  const size = characterSets.find(({ inside }) => inside.test(text))?.size ?? 256
  const used = Math.max(1, new Set(bytes).size)
  const characters = bytes.length * Math.log2(used)
  const setBits = Math.log2(characterSets.length)
  return {
    characters,
    // The number of distinct members, and the choice of these members.
    charactersAndSet: setBits + Math.log2(size) + log2Choose(size, used) + characters,
    words: setBits + Math.log2(separators.length) + measureTokens(text, Math.log2(size)),
  }
}

const separators = ['-', '_', ' ', '.', '/', undefined] as const

// The character sets that secrets are written in, the smallest first.
const characterSets = [
  ...'0-9 0-9a-f 0-9A-F a-z A-Z a-z0-9 A-Z0-9 A-Za-z A-Za-z0-9 A-Za-z0-9_- A-Za-z0-9+/='.split(' '),
  '\x20-\x7e',
  '\0-\xff',
].map((range) => {
  const inside = new RegExp(`^[${range}]*$`)
  const members = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter((one) => inside.test(one))
  return { inside, size: members.length }
})

const log2Choose = (size: number, chosen: number): number => {
  const factors = Array.from({ length: chosen }, (_, index) => Math.log2((size - index) / (index + 1)))
  return factors.reduce((sum, bits) => sum + bits, 0)
}

// Text that a repetition may refer to, besides the secret: rows of the alphabet, of numbers and of a keyboard, famous digits, the
// parts of the JWTs in tutorials, a key in the documentation of AWS, an instant, and the rows from which a popular website takes
// its "random" keys.
const preset = [
  'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ01234567890!@#$%^&*()_+',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.!QAZ@WSX#EDC$RFV%TGB^YHN&UJMzaq1xsw2cde3vfr4bgt5nhy6mju7zaq12wsxcde34rfvbgt56yhnmju78ik,',
  'poiuytrewqlkjhgfdsamnbvcxz0987654321a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0Tr0ub4dor&3',
  // Pi, e, and the Fibonacci numbers.
  '3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798214808651328230664709384',
  '2.71828182845904523536028747135266249775724709369995957496696762772407663035354759457138217852516642742746639193200305992181741',
  '0112358132134558914423337761098715972584418167651094617711286574636875025121393196418317811514229832040',
  '{"alg":"HS256","typ":"JWT"}{"sub":"1234567890","name":"John Doe","admin":true,"iat":1516239022}',
  'AKIAIOSFODNN7EXAMPLE-01-01T00:00:00.000Z',
  'A?D(G+KbPeShVmYq3t6w9z$C&F)J@NcRfUjXn2r5u8x/A?D(G+KbPdSgVkYp3s6v9y$B&E)H@McQfTjWnZr4u7x!A%D*G-KaPdSgUkXp2s5v8y/B?E' +
    '(H+MbQeThWmZq4t7w!z%C*F-JaNdRgUjXn',
].join('')

// The bits that name the next part of a text: a word (probability 1/2), one character (1/4), a repetition or a sequence (1/8
// each).
const wordBits = 1
const characterBits = 2
const otherBits = 3

/** Returns the length of the shortest description of a text by words, repetitions, sequences and characters. */
const measureTokens = (text: string, perCharacter: number): number => {
  const findWords = createWordFinder(text)
  const history = preset + text
  const lengthBits = Math.log2(text.length)
  // The length of the shortest description of the rest of the text, by the position where the rest starts.
  const shortest: number[] = []
  const from = (position: number): number => shortest[position] ?? 0

  for (let at = text.length - 1; at >= 0; at -= 1) {
    let best = characterBits + perCharacter + from(at + 1)
    for (const { end, bits } of findWords(at)) best = Math.min(best, wordBits + bits + from(end))
    const repeated = measureRepetition(history, preset.length + at)
    const repetitionBits = otherBits + Math.log2(preset.length + at) + lengthBits
    for (let length = 3; length <= repeated; length += 1) best = Math.min(best, repetitionBits + from(at + length))
    const sequence = measureSequence(text, at)
    const sequenceBits = otherBits + 8 + 8 + lengthBits
    for (let length = 3; length <= sequence; length += 1) best = Math.min(best, sequenceBits + from(at + length))
    shortest[at] = best
  }
  return from(0)
}

/** Returns how many characters from a position on also occur at an earlier position. The two ranges may overlap. */
const measureRepetition = (history: string, at: number): number => {
  let before = 0
  for (let length = 0; at + length < history.length; length += 1) {
    // A longer match never starts before the first match of its beginning, so the search continues from there.
    before = history.indexOf(history.slice(at, at + length + 1), before)
    if (before === at) return length
  }
  return history.length - at
}

/** Returns how many bytes from a position on have the same difference to their neighbour. */
const measureSequence = (text: string, at: number): number => {
  const step = (position: number): number => (text.charCodeAt(position + 1) - text.charCodeAt(position)) & 0xff
  let end = at + 1
  while (end < text.length && step(end - 1) === step(at)) end += 1
  return end - at
}

/** A word of a text, with the separator after it, and the bits that name both. */
interface FoundWord {
  readonly end: number
  readonly bits: number
}

// The lists of words have the probabilities 1/2, 1/4 and 1/4. A word in two lists is named by the first.
const listBits = [1, 2, 2] as const
const bitsOfWord: ReadonlyMap<string, number> = new Map(
  guessableWords
    .flatMap((words, list) => [...words].map((word) => [word, (listBits[list] ?? 2) + Math.log2(words.size)] as const))
    .reverse(),
)
const longestWord = Math.max(...[...bitsOfWord.keys()].map(({ length }) => length))

/** Creates the function that finds the words that start at a position. */
const createWordFinder = (text: string): ((at: number) => readonly FoundWord[]) => {
  const plain = toLowerCase(text)
  const readings = new Set([plain, toLetters(plain, 'i'), toLetters(plain, 'l')])
  const separator = findSeparator(text)
  return (at) => {
    const found: FoundWord[] = []
    for (let end = at + 1; end <= Math.min(text.length, at + longestWord); end += 1) {
      for (const reading of readings) {
        const word = reading.slice(at, end)
        const named = bitsOfWord.get(word)
        if (named === undefined) continue
        const spelled = measureSpelling(text.slice(at, end), word)
        if (spelled === undefined) continue
        // One more bit says whether the separator follows.
        const bits = named + spelled + (separator === undefined ? 0 : 1)
        found.push({ end, bits })
        if (separator !== undefined && text[end] === separator) found.push({ end: end + 1, bits })
      }
    }
    return found
  }
}

/** Returns the most frequent separator of a text. A description names it once. */
const findSeparator = (text: string): string | undefined =>
  separators
    .map((separator) => ({ separator, count: separator === undefined ? 1 : text.split(separator).length }))
    .reduce((most, other) => (other.count >= most.count ? other : most)).separator

// Returns the bits that name the spelling of a word: lower case (probability 1/2), a capital first (1/4), upper case (1/8), or
// one of these with digits and signs in place of letters (1/8), each of which is one of three. Returns `undefined` for any other
// spelling.
const measureSpelling = (text: string, word: string): number | undefined => {
  const spellings = [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()]
  const exact = spellings.indexOf(text)
  if (exact >= 0) return exact + 1
  const fits = spellings.some((spelling) => [...text].every((one, at) => !/[A-Za-z]/.test(one) || one === spelling[at]))
  const replaceable = word.replace(/[^aeilost]/g, '').length
  return fits ? 3 + Math.log2(3) * (1 + replaceable) : undefined
}

// The text is bytes read as Latin-1, so only its ASCII letters are letters of words.
const toLowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

const letters: Readonly<Record<string, string>> = { '0': 'o', '3': 'e', '4': 'a', '@': 'a', '5': 's', $: 's', '7': 't' }

/** Replaces digits and signs by the letters that they resemble. */
const toLetters = (text: string, one: 'i' | 'l'): string =>
  text.replace(/[013457@$!]/g, (character) => letters[character] ?? one)
