import { isPromise, optionError } from '../option-checks.js'
import { isUserId, type UserId } from '../ports/user-directory.js'
import type { ServiceContext } from './service-context.js'

/**
 * Reads the id of a user. Checked at run time, because JavaScript callers may pass anything.
 *
 * @throws TypeError that names the kind of the value, and the fix
 */
export const parseUserId = (userId: unknown): UserId => {
  if (isUserId(userId)) return userId
  const { message } = optionError('userId', 'a whole number, or 1 to 255 characters of text', userId)
  throw new TypeError(`${message}${adviseOnUserId(userId)}`)
}

const adviseOnUserId = (value: unknown): string => {
  if (isPromise(value)) return ' Await it.'
  if (typeof value === 'bigint') return ' Convert it to the type of the ids that `users` returns.'
  if (typeof value !== 'object' || value === null) return ''
  if (Array.isArray(value)) return ' Pass the id of one user.'
  const member = ['id', 'userId'].find((name) => name in value)
  return member === undefined ? '' : ` Pass its \`${member}\`.`
}

/**
 * Checks a user id for which nothing was found: the application may have passed `'1'`, from a URL, for the user `1`. Does nothing
 * if the directory has returned ids of this type.
 *
 * @throws TypeError if the same id of the other type has sessions
 */
export const refuseOtherIdType = async (
  { users, storage, system }: Pick<ServiceContext, 'users' | 'storage' | 'system'>,
  userId: UserId,
  caller: string,
): Promise<void> => {
  const other = toOtherType(userId)
  if (other === undefined || users.hasReturnedIdLike(userId)) return
  const sessions = await storage.list(other, { activeAt: system.now(), limit: 1 })
  if (sessions.length > 0) throw new TypeError(`jwt-auth: ${caller} ${explainIdType(userId, other)}`)
}

/** Explains an id that has the wrong type, for messages. */
export const explainIdType = (userId: UserId, other: UserId): string =>
  `received a user id of the type ${typeof userId}, but the ids of your users have the type ${typeof other}. Convert it: 1 and '1' are different ids.`

/** Returns the same id as text or as a number. `undefined` if no number is written like the text. */
export const toOtherType = (userId: UserId): UserId | undefined => {
  if (typeof userId === 'number') return String(userId)
  const number = Number(userId)
  return isUserId(number) && String(number) === userId ? number : undefined
}
