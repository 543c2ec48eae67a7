import { optionError } from './option-checks.js'
import type { UserId } from './ports/user-directory.js'

/**
 * Returns whether a value can be the id of a user: a safe integer, or 1 to 255 UTF-16 code units of
 * well-formed text without control characters.
 */
export const isUserId = (value: unknown): value is UserId =>
  Number.isSafeInteger(value) ||
  (typeof value === 'string' && value.isWellFormed() && /^\P{Cc}{1,255}$/u.test(value) && value.length <= 255)

/**
 * Reads the id of a user. Checked at run time, because JavaScript callers may pass anything.
 *
 * @throws TypeError that names the kind of the value, and the fix
 */
export const parseUserId = (userId: unknown): UserId => {
  if (isUserId(userId)) return userId
  throw optionError('userId', 'a whole number, or 1 to 255 characters of text', userId)
}

/**
 * Converts a numeric id to text, and text to a numeric id. Returns `undefined` for text that is not
 * a numeric id.
 */
export const toOtherType = (userId: UserId): UserId | undefined => {
  if (typeof userId === 'number') return String(userId)
  const number = Number(userId)
  return isUserId(number) && String(number) === userId ? number : undefined
}
