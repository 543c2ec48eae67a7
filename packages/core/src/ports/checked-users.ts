import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { RunInTime } from '../system.js'
import { isUserId, type PasswordCheckOptions, type User, type UserDirectory, type UserId } from './user-directory.js'

/**
 * Wraps the application's directory. A rejection becomes `jwt_auth_unavailable`; an `AuthError` stays as it is. A result that is
 * no user becomes an error that names the field. Lookups have the deadline of a storage call. Password checks have no deadline
 * here: the hashing queue limits their wait.
 */
export const createCheckedUsers = (
  users: UserDirectory,
  runInTime: RunInTime,
  reportFault?: PasswordCheckOptions['reportFault'],
): UserDirectory => ({
  findByUsername: (username) =>
    findUser('findByUsername', async () =>
      runInTime((getSignal) => users.findByUsername(username, { signal: getSignal(), reportFault })),
    ),
  findById: async (id) => {
    const user = await findUser('findById', async () =>
      runInTime((getSignal) => users.findById(id, { signal: getSignal() })),
    )
    if (user === undefined || user.id === id) return user
    if (String(user.id) === String(id)) throw new IdTypeError(id, user.id)
    throw new TypeError('jwt-auth: users.findById returned a user with another `id` than the one it was called with.')
  },
  verifyPassword: async (user, password, { place } = {}) => {
    const isRight = await callDirectory(() => users.verifyPassword(user, password, { place, reportFault }))
    if (typeof isRight !== 'boolean')
      throw new TypeError('jwt-auth: users.verifyPassword must resolve to true or false.')
    // The service checks both conditions again, because a custom directory may omit them.
    return isRight && user !== undefined && !user.disabled
  },
})

/** The error for a directory that returns an id of a different type than the id it was called with. */
export class IdTypeError extends TypeError {
  override readonly name = 'IdTypeError'

  constructor(asked: UserId, received: UserId) {
    super(
      `jwt-auth: users.findById returned a user whose \`id\` is a ${typeof received}; it was called with the same id as a ${typeof asked}. Use one type for ids everywhere: 1 and '1' are different ids.`,
    )
  }
}

const findUser = async (
  method: 'findByUsername' | 'findById',
  call: () => Promise<User | undefined>,
): Promise<User | undefined> => {
  const user = (await callDirectory(call)) ?? undefined
  const fault = user === undefined ? undefined : findFault(user)
  if (fault === undefined) return user
  throw new TypeError(`jwt-auth: users.${method} returned ${fault}`)
}

const callDirectory = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (cause) {
    throw isAuthError(cause)
      ? cause
      : new AuthError('jwt_auth_unavailable', { cause, detail: 'the user directory failed' })
  }
}

// Checked at run time, because directories are written in JavaScript too and a missing field would end up in a token.
const findFault = (user: User): string | undefined => {
  if (typeof user !== 'object') return 'a value that is no user; return undefined if there is none.'
  if (!isUserId(user.id)) {
    return 'a user whose `id` is neither a whole number nor 1 to 255 characters of text without control characters.'
  }
  if (typeof user.email !== 'string') return 'a user whose `email` is no string.'
  const wrong = (['username', 'nicename', 'displayName'] as const).find((field) => !isOptionalText(user[field]))
  if (wrong !== undefined) return `a user whose \`${wrong}\` is no string.`
  return isCredentialVersion(user.credentialVersion)
    ? undefined
    : 'a user whose `credentialVersion` is neither a number nor text of at most 255 characters.'
}

const isOptionalText = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

const isCredentialVersion = (version: unknown): boolean =>
  version === undefined || typeof version === 'number' || (typeof version === 'string' && version.length <= 255)
