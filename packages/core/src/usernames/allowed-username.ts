/**
 * Whether a name, mapped in width already, is made of characters that names are made of, and reads as what it is:
 * RFC 8264's IdentifierClass and spaces within, the direction rule of RFC 5893, and no mix of scripts that look alike.
 * The last two look at the parts between `@` and `.`, so that an address may hold letters of one script before the `@` and of
 * another behind it.
 */
export const isAllowed = (name: string): boolean =>
  identifier.test(name) && !forbidden.test(name) && !hasStandIn(name) && name.split(/[@.]/).every(isUnambiguous)

// Letters, digits, marks (none at the head, where it would join whatever stands before the name) and the printable ASCII
// characters (RFC 8264, sections 9.1 and 9.11). No controls, unassigned code points, symbols or other punctuation.
const identifier = /^(?!\p{M})[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Nd}\p{Mn}\p{Mc} -~]+$/u

// What is invisible, and the letters that are not to be used in identifiers (RFC 8264, sections 9.6, 9.9 and 9.13). That the
// joiners and the other characters allowed "in context" are refused everywhere costs few names, and no rule to check.
const forbidden = new RegExp(
  [
    '\\p{Default_Ignorable_Code_Point}',
    '[\\u0640\\u07fa\\u302e\\u302f\\u3031-\\u3035\\u303b]',
    '[\\u1100-\\u11ff\\ua960-\\ua97c\\ud7b0-\\ud7fb]',
  ].join('|'),
  'u',
)

// A character that stands for another one, such as a ligature or a letter in a circle (RFC 8264, section 9.17).
const hasStandIn = (name: string): boolean => [...name].some((character) => character.normalize('NFKC') !== character)

const isUnambiguous = (part: string): boolean => isOfOneScript(part) && isOfOneDirection(part)

// The scripts whose letters pass for each other's: `аdmin` with a Cyrillic а. (UTS 39 asks for more; a word that is foreign
// from end to end, such as `сор`, no such rule can tell.)
const scriptsAlike = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Coptic}/u,
  /\p{Script=Cherokee}/u,
  /\p{Script=Lisu}/u,
]

const isOfOneScript = (part: string): boolean => scriptsAlike.filter((script) => script.test(part)).length <= 1

// RFC 5893, section 2: otherwise characters are shown in another order than they are compared in.
const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]/u

const isOfOneDirection = (part: string): boolean => {
  const letters = part.match(/\p{L}/gu) ?? []
  if (!letters.some((letter) => rightToLeft.test(letter))) return true
  return letters.every((letter) => rightToLeft.test(letter)) && /^\p{L}(.*[\p{L}\p{Nd}\p{M}])?$/u.test(part)
}
