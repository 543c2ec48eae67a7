import { AuthError, isAuthError } from '../errors/auth-error.js'
import { describeValue } from '../option-checks.js'
import type { PasswordCheckOptions, User, UserDirectory, UserId } from '../ports/user-directory.js'
import type { RunInTime } from '../system.js'
import { isUserId } from '../user-id.js'

/** The application's directory, whose results are checked. */
export interface CheckedUsers extends UserDirectory {
  /** Returns whether the directory has returned an id of the same type. */
  readonly hasReturnedIdLike: (id: UserId) => boolean
  /**
   * Returns whether the directory has returned ids, and all of them had the other type (number or
   * string).
   */
  readonly hasReturnedOtherIdsOnly: (id: UserId) => boolean
}

/**
 * Wraps the application's directory. A rejection becomes `jwt_auth_unavailable`; an `AuthError`
 * stays as it is. A result that is not a valid user becomes an error that names the field. Lookups
 * have the deadline of a storage call. Password checks have no deadline here: the hashing queue
 * limits their wait.
 */
export const createCheckedUsers = (
  users: UserDirectory,
  runInTime: RunInTime,
  reportFault?: PasswordCheckOptions['reportFault'],
): CheckedUsers => {
  const idTypes = new Set<string>()
  const findUser = async (method: LookupMethod, call: () => Promise<User | undefined>): Promise<User | undefined> => {
    const user = await findCheckedUser(method, call)
    if (user !== undefined) idTypes.add(typeof user.id)
    return user
  }

  return {
    hasReturnedIdLike: (id) => idTypes.has(typeof id),
    hasReturnedOtherIdsOnly: (id) => idTypes.size > 0 && !idTypes.has(typeof id),
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
      throw new TypeError('jwt-auth: users.findById returned a user whose `id` is not the one it was called with.')
    },
    verifyPassword: async (user, password, { priority } = {}) => {
      const isRight = await callDirectory(() => users.verifyPassword(user, password, { priority, reportFault }))
      if (typeof isRight !== 'boolean')
        throw new TypeError('jwt-auth: users.verifyPassword must resolve to true or false.')
      // The service checks both conditions again, because a custom directory may omit the checks.
      return isRight && user !== undefined && !user.disabled
    },
  }
}

type LookupMethod = 'findByUsername' | 'findById'

/**
 * The error for a directory that returns an id of a different type than the id it was called with.
 */
export class IdTypeError extends TypeError {
  override readonly name = 'IdTypeError'

  constructor(asked: UserId, received: UserId) {
    super(
      `jwt-auth: users.findById was called with a ${typeof asked}, but returned a user whose \`id\` is a ${typeof received}. Use one type for ids everywhere: 1 and '1' are different ids.`,
    )
  }
}

const findCheckedUser = async (
  method: LookupMethod,
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

// Checked at run time, because directories are written in JavaScript too and a missing field would
// end up in a token.
const findFault = (user: User): string | undefined => {
  const noUser = explainNoUser(user)
  if (noUser !== undefined) return noUser
  if (!isUserId(user.id)) return explainField('id', user.id, adviseOnId(user))
  if (typeof user.email !== 'string') {
    return explainField('email', user.email, "return text, or '' for a user without an address.")
  }
  const wrong = (['username', 'nicename', 'displayName'] as const).find((field) => !isOptionalText(user[field]))
  if (wrong !== undefined) return explainField(wrong, user[wrong], 'return text, null or undefined.')
  if (!isDisabledMark(user.disabled)) {
    return explainField('disabled', user.disabled, 'return true or false.')
  }
  return isCredentialVersion(user.credentialVersion)
    ? undefined
    : explainField(
        'credentialVersion',
        user.credentialVersion,
        'return a number, text of at most 255 characters, or undefined.',
      )
}

/**
 * Explains a value that a lookup returned in place of a user. Returns `undefined` for an object
 * that may be a user.
 */
export const explainNoUser = (value: object): string | undefined => {
  if (Array.isArray(value)) return 'an array; return one user, such as `rows[0]`.'
  if (typeof value !== 'object') return `${describeValue(value)}; return a user, or undefined if there is none.`
  const isResult = 'rows' in value && !('id' in value)
  return isResult ? 'the result of a query; return one user, such as `result.rows[0]`.' : undefined
}

const explainField = (field: keyof User, value: unknown, fix: string): string =>
  `a user whose \`${field}\` is ${value === undefined ? 'missing' : describeValue(value)}; ${fix}`

const adviseOnId = (user: { readonly id: unknown }): string => {
  const { id } = user
  if (id === undefined && '_id' in user) return 'return `_id` as text: `{ ...user, id: String(user._id) }`.'
  if (id instanceof Uint8Array) return "return text, such as `id.toString('hex')`."
  return typeof id === 'bigint' || (typeof id === 'object' && id !== null)
    ? 'return text: `String(id)`.'
    : 'return a whole number, or 1 to 255 characters of text without control characters.'
}

// Databases without a boolean type return 0 and 1.
const isDisabledMark = (value: unknown): boolean => [undefined, null, true, false, 0, 1].some((mark) => mark === value)

const isOptionalText = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

const isCredentialVersion = (version: unknown): boolean =>
  version === undefined || typeof version === 'number' || (typeof version === 'string' && version.length <= 255)
