import { isAllowed } from './allowed-username.js'

// In UTF-16 code units: what the columns of most tables hold.
const longestUsername = 255

/**
 * The one form of a user name under which its user is looked up and its attempts are counted; `undefined` for a name that
 * nobody can have, because it is ill-formed, too long, or made to be mistaken for another. `canonicalUsername` of a canonical
 * name is that name. Store this form, or keep it in a column beside the name as the user writes it.
 *
 * RFC 8265, section 3.3 (UsernameCaseMapped), with docs/decisions/0027 for what is added: wide and narrow forms become plain
 * ones, capital letters small ones, accents one character with their letter; spaces around are dropped.
 *
 * @example
 * canonicalUsername(' Ann@Example.com') // 'ann@example.com'
 * canonicalUsername('аnn') // undefined: the first letter is Cyrillic
 */
export const canonicalUsername = (username: string): string | undefined => {
  if (!username.isWellFormed() || username.length > longestUsername) return undefined
  const prepared = dropSpacesAround(mapWidth(username))
  const canonical = mapCase(prepared)
  // Both: what a forbidden character turns into is not what was typed, and a mapping may make what it was not given.
  const isAcceptable = [prepared, canonical].every((name) => name.length <= longestUsername && isAllowed(name))
  return isAcceptable ? canonical : undefined
}

// RFC 8265, section 3.3.2: characters with a <wide> or <narrow> mapping; the symbols among them, which stand behind these, are
// refused anyway.
const mapWidth = (name: string): string =>
  name.replace(/[\u3000\uff01-\uffdc]/gu, (character) => character.normalize('NFKC'))

// Keyboards of phones put a space behind a word, and MariaDB takes no notice of it.
const dropSpacesAround = (name: string): string => name.replace(/^ +| +$/g, '')

// In this order, because some letters are one character with their mark only when they are small (h with a line below). Done
// twice it changes nothing more: no small letter has a capital one in it, and so neither has what they are joined to.
const mapCase = (name: string): string => name.toLowerCase().normalize('NFC')
