import type { UserId } from '../ports/user-directory.js'

/**
 * Returns the account of a user by id. The ids 1 and '1' are different accounts. The account of a
 * name never starts with a control character, so that no name has the account of a user.
 */
export const toAccountOfUser = (id: UserId): string => `\x01${typeof id}:${id}`

/**
 * Returns the account that a user name is counted under. It merges spellings that a database may
 * treat as equal, such as `ada`, `ADA`, `àda` and `ada `, or `さくら` and `サクラ`. Otherwise each
 * spelling would count as another account, with its own guesses. Names that fall together share a
 * limit, and nothing else.
 */
export const toAccountKey = (username: string): string =>
  username
    // Nobody has a longer name, and this runs before any limit applies.
    .slice(0, maxUsernameLength)
    .toLowerCase()
    .normalize('NFKD')
    .replace(compared, toPlain)
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replace(ignored, '')
    // Some databases take `ß` for `ss`, others for `s`.
    .replace(/s+/g, 's')

const compared =
  /(?![\0-\x7f])[\p{sc=Latn}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}\p{sc=Tibt}\p{sc=Hira}\p{sc=Kana}\p{Nd}\p{M}]/gu

// The recommended scripts of UAX 31. Letters of other scripts make no difference, because
// collations merge many of them.
const scripts =
  'Arab Armn Beng Cyrl Deva Ethi Geor Grek Gujr Guru Hang Hani Hebr Hira ' +
  'Kana Knda Khmr Laoo Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt'
const letters = scripts.replace(/(\w+) ?/g, '\\p{sc=$1}')
// A few letters of these scripts are marks or ligatures in some collations. Old collations take all
// characters above U+FFFF for one.
const ignored = new RegExp(
  `[^\\0-\\x7f${letters}]|[ \\p{C}\u03b9\u0d4e\u0d7c\ua8f2-\ua8f7\ufe73\\u{10000}-\\u{10ffff}]`,
  'gu',
)

const maxUsernameLength = 256

// Compares by letters alone, in Unicode's own order (UTS 10): strokes, marks, the two kana and the
// scripts of digits make no difference. Created for the first name that needs it: that takes several
// milliseconds.
let collator: Intl.Collator | undefined

const plainLetters = [
  ...'0123456789abcdefghijklmnopqrstuvwxyz',
  'ae',
  'oe',
  ...'гоכמנפצءاويیརあいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわゐゑをん',
]

// A name needs up to 30,000 comparisons. Unicode has fewer than 9,000 such characters.
const remembered = new Map<string, string>()

// Returns the plain letter or digit of a character, or the character itself.
const toPlain = (character: string): string => {
  const known = remembered.get(character)
  if (known !== undefined) return known
  collator ??= new Intl.Collator('und', { sensitivity: 'base' })
  const { compare } = collator
  const plain = plainLetters.find((letter) => compare(character, letter) === 0) ?? character
  remembered.set(character, plain)
  return plain
}
