import { callError, describeValue } from '@jwt-auth/core/internal'

// In UTF-16 code units: the columns of most tables hold no more.
const maxUsernameLength = 255

/**
 * Returns the canonical form of a user name, under which its user is looked up. Returns `undefined`
 * for a name that nobody can have, because it is ill-formed, too long, or easily mistaken for
 * another. The canonical form of a canonical name is that name. Store this form, or keep it in a
 * column next to the name as the user writes it.
 *
 * Follows RFC 8265, section 3.3 (UsernameCaseMapped), with the additions of docs/design/users.md:
 * maps fullwidth and halfwidth characters, converts uppercase to lowercase, normalizes to NFC, and
 * trims spaces.
 *
 * @throws TypeError for a value that is not text
 * @example
 * ```ts
 * canonicalUsername(' Ann@Example.com') // 'ann@example.com'
 * canonicalUsername('аnn') // undefined: the first letter is Cyrillic
 * ```
 */
export const canonicalUsername = (username: string): string | undefined => {
  if (typeof username !== 'string') {
    throw callError('canonicalUsername', `needs the name as text; received ${describeValue(username)}.`)
  }
  if (!username.isWellFormed() || username.length > maxUsernameLength) return undefined
  // Most names need no other rule.
  if (/^[!-~]+$/.test(username)) return username.toLowerCase()
  const prepared = removeSurroundingSpaces(mapWidth(username))
  const canonical = mapCase(prepared)
  // A forbidden character may be mapped to an allowed one, and an allowed character to a forbidden
  // one. For most names, both forms are equal and are checked once.
  const isAcceptable = isAllowed(prepared) && (canonical === prepared || isAllowed(canonical))
  return isAcceptable ? canonical : undefined
}

// RFC 8265, section 3.3.2: characters with a <wide> or <narrow> mapping. The range ends before the
// symbols with such a mapping (U+FFE0 and above), which are refused.
const mapWidth = (name: string): string =>
  name.replace(/[\u3000\uff01-\uffdc]/gu, (character) => character.normalize('NFKC'))

// Keyboards of phones add a space after a word, and MariaDB ignores it.
const removeSurroundingSpaces = (name: string): string => name.replace(/^ +| +$/g, '')

// In this order, because some letters form one character with their mark only in lower case (h with
// a line below). Repeating it changes nothing: no small letter contains a capital one, and neither
// does a composed character.
const mapCase = (name: string): string => name.toLowerCase().normalize('NFC')

// Returns whether a name contains only allowed characters (IdentifierClass of RFC 8264, and inner
// spaces), follows the direction rule of RFC 5893, and mixes no scripts that look alike. The last
// two apply to the parts between `@` and `.`, so that the parts of an address may have different
// scripts.
const isAllowed = (name: string): boolean =>
  name.length <= maxUsernameLength &&
  identifier.test(name) &&
  !forbidden.test(name) &&
  !hasStandIn(name) &&
  name.split(/[@.]/).every((part) => isOfOneScript(part) && isOfOneDirection(part))

// Letters, digits, marks (not first, where a mark would join the text before the name) and the
// printable ASCII characters (RFC 8264, sections 9.1 and 9.11). No controls, unassigned code
// points, symbols or other punctuation.
const identifier = /^(?!\p{M})[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc} -~]+$/u

// Invisible characters, and letters that must not be used in identifiers (RFC 8264, sections 9.6,
// 9.9 and 9.13). The characters that are allowed only "in context", such as joiners, are refused
// everywhere: this affects few names and needs no rules.
const forbidden = new RegExp(
  [
    '\\p{Default_Ignorable_Code_Point}',
    '[\\u0640\\u07fa\\u302e\\u302f\\u3031-\\u3035\\u303b]',
    '[\\u1100-\\u11ff\\ua960-\\ua97c\\ud7b0-\\ud7fb]',
  ].join('|'),
  'u',
)

// A character that stands for another one, such as a ligature or a letter in a circle (RFC 8264,
// section 9.17).
const hasStandIn = (name: string): boolean => [...name].some((character) => character.normalize('NFKC') !== character)

// Scripts whose letters look alike: `аdmin` with a Cyrillic а. (UTS 39 requires more. No rule of
// this kind detects a word that is written entirely in another script, such as `сор`.)
const scriptsAlike = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Coptic', 'Cherokee', 'Lisu'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
)

const isOfOneScript = (part: string): boolean => scriptsAlike.filter((script) => script.test(part)).length <= 1

// RFC 5893, section 2: otherwise the order in which characters are shown differs from the order in
// which they are compared.
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u

const isOfOneDirection = (part: string): boolean => {
  const letters = part.match(/\p{L}/gu) ?? []
  if (!letters.some((letter) => rightToLeft.test(letter))) return true
  return letters.every((letter) => rightToLeft.test(letter)) && /^\p{L}(.*[\p{L}\p{Nd}\p{M}])?$/u.test(part)
}
