import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { RunInTime } from './deadline.js'
import { isUserId, type PasswordCheckOptions, type User, type UserDirectory, type UserId } from './user-directory.js'

/** What the calls of a directory are given. */
export interface UserCalls extends PasswordCheckOptions {
  /** Sets the deadline of `findById`. */
  readonly runInTime: RunInTime
}

/**
 * Wraps the host's directory: a rejection becomes `jwt_auth_unavailable` (an `AuthError` stays what it is), and an answer
 * that is no user becomes an error that names the field. Finding a user has the deadline of a storage call. Checking a
 * password has none of ours: directories bound their look-ups and their turn in the hashing queue themselves.
 */
export const createCheckedUsers = (users: UserDirectory, { runInTime, reportFault }: UserCalls): UserDirectory => ({
  verifyPassword: (username, password, options) =>
    ask('verifyPassword', () => users.verifyPassword(username, password, { ...options, reportFault })),
  findById: async (id) => {
    const user = await ask('findById', async () => runInTime((signal) => users.findById(id, { signal })))
    if (user === undefined || user.id === id) return user
    if (String(user.id) === String(id)) throw new IdTypeError(id, user.id)
    throw new TypeError('jwt-auth: users.findById returned a user with another `id` than the one it was called with.')
  },
})

/** A directory returned the id that it was called with as another type. */
export class IdTypeError extends TypeError {
  override readonly name = 'IdTypeError'

  constructor(asked: UserId, received: UserId) {
    super(
      `jwt-auth: users.findById returned a user whose \`id\` is a ${typeof received}; it was called with the same id as a ${typeof asked}. Use one type for ids everywhere: 1 and '1' are different ids.`,
    )
  }
}

const ask = async (method: string, call: () => Promise<User | undefined>): Promise<User | undefined> => {
  const user = await answerOf(call)
  const fault = user === undefined ? undefined : findFault(user)
  if (fault === undefined) return user
  throw new TypeError(`jwt-auth: users.${method} answered ${fault}`)
}

const answerOf = async (call: () => Promise<User | undefined>): Promise<User | undefined> => {
  try {
    return (await call()) ?? undefined
  } catch (cause) {
    throw isAuthError(cause)
      ? cause
      : new AuthError('jwt_auth_unavailable', { cause, detail: 'the user directory failed' })
  }
}

// Checked although typed: directories are written in JavaScript too, and a missing field would end up in a token.
const findFault = (user: User): string | undefined => {
  if (typeof user !== 'object') return 'what is no user; answer undefined for none.'
  if (!isUserId(user.id)) {
    return 'a user whose `id` is neither a whole number nor 1 to 255 characters of text without control characters.'
  }
  const wrong = (['email', 'nicename', 'displayName'] as const).find((field) => typeof user[field] !== 'string')
  if (wrong !== undefined) return `a user whose \`${wrong}\` is no string.`
  return isCredentialVersion(user.credentialVersion)
    ? undefined
    : 'a user whose `credentialVersion` is neither a number nor text of at most 255 characters.'
}

const isCredentialVersion = (version: unknown): boolean =>
  version === undefined || typeof version === 'number' || (typeof version === 'string' && version.length <= 255)
