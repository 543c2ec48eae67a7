import type { UserId } from '../ports/user-directory.js'

/**
 * Returns the account of a user by id. The ids 1 and '1' are different accounts. The account of a
 * name never starts with a control character, so that no name has the account of a user.
 */
export const toAccountOfUser = (id: UserId): string => `\x01${typeof id}:${id}`

/**
 * Returns the account that a user name is counted under. It merges spellings that a database may
 * treat as equal, such as `ada`, `ADA`, `àda` and `ada `. Otherwise each spelling would count as
 * another account, with its own guesses. Names that fall together share a limit, and nothing else.
 */
export const toAccountKey = (username: string): string =>
  username
    // Nobody has a longer name, and this runs before any limit applies.
    .slice(0, maxUsernameLength)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(?![\0-\x7f])[\p{Script=Latin}\p{Nd}\p{M}]/gu, toPlain)
    .replace(/[\p{M}\p{Z}\p{C}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    // Some databases take `ß` for `ss`, others for `s`.
    .replace(/s+/g, 's')

const maxUsernameLength = 256

// Compares by letters alone, in Unicode's own order (UTS 10): strokes, marks and the scripts of
// digits make no difference. Created for the first name that needs it: that takes several
// milliseconds.
let collator: Intl.Collator | undefined

const plainLetters = [...'0123456789abcdefghijklmnopqrstuvwxyz', 'ae', 'oe']

// A name needs up to ten thousand comparisons. Unicode has fewer than 4,000 such characters.
const remembered = new Map<string, string>()

// Returns the ASCII letter or digit of a character, or the character itself.
const toPlain = (character: string): string => {
  const known = remembered.get(character)
  if (known !== undefined) return known
  collator ??= new Intl.Collator('und', { sensitivity: 'base' })
  const { compare } = collator
  const plain = plainLetters.find((letter) => compare(character, letter) === 0) ?? character
  remembered.set(character, plain)
  return plain
}
