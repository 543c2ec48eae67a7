import type { UserId } from '../ports/user-directory.js'

/**
 * Returns the key that a user name is counted under. Coarser than any directory's own idea of "the same name": where a database finds
 * `ada` by `ADA`, `àda`, `ada ` or `øla` by `ola` as well, each spelling would otherwise be an account of its own to the limits,
 * with guesses of its own. Two names that fall together share a limit, and nothing else.
 */
export const toAccountKey = (username: string): string =>
  username
    // Longer names are nobody's, and this is done before any limit is asked.
    .slice(0, longestUsername)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(?![\0-\x7f])[\p{Script=Latin}\p{Nd}\p{M}]/gu, toPlain)
    .replace(/[\p{M}\p{Z}\p{C}]/gu, '')
    .toUpperCase()
    .toLowerCase()
    // To some databases `ß` is `ss`, to others `s`.
    .replace(/s+/g, 's')

const longestUsername = 256

/**
 * Returns the key of a user by id. The ids 1 and '1' have different keys. The key of a name never starts with a control character, so
 * that no name has the key of a user.
 */
export const toUserKey = (id: UserId): string => `\x01${typeof id}:${id}`

// Unicode's own order (UTS 10), by letters alone: strokes, marks and the scripts of digits make no difference in it.
const { compare } = new Intl.Collator('und', { sensitivity: 'base' })

const plainLetters = [...'0123456789abcdefghijklmnopqrstuvwxyz', 'ae', 'oe'].toSorted(compare)

// A comparison takes a microsecond and more, a name up to a thousand of them.
const mostRemembered = 5_000
const remembered = new Map<string, string>()

/** The ASCII letter or digit that a character is one of; the character itself when there is none. */
const toPlain = (character: string): string => {
  const known = remembered.get(character)
  if (known !== undefined) return known
  const plain = findPlain(character)
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(character, plain)
  return plain
}

const findPlain = (character: string): string => {
  let [from, to] = [0, plainLetters.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const plain = plainLetters[middle] ?? ''
    const difference = compare(character, plain)
    if (difference === 0) return plain
    if (difference < 0) to = middle
    else from = middle + 1
  }
  return character
}
