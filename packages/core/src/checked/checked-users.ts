import { AuthError, isAuthError } from '../errors/auth-error.js'
import { describeValue, getMember } from '../option-checks.js'
import type { PasswordCheckOptions, User, UserDirectory, UserId } from '../ports/user-directory.js'
import type { RunInTime } from '../system.js'
import { isUserId } from '../user-id.js'

/**
 * Wraps the application's directory. A rejection becomes `jwt_auth_unavailable`; an `AuthError`
 * stays as it is. A result that is not a valid user becomes `jwt_auth_internal_error`, whose cause
 * names the field. Lookups
 * have the deadline of a storage call. Password checks have no deadline here: the hashing queue
 * limits their wait.
 */
export const createCheckedUsers = (
  users: UserDirectory,
  runInTime: RunInTime,
  reportFault?: PasswordCheckOptions['reportFault'],
): UserDirectory & { readonly idTypes: ReadonlySet<string> } => {
  // The types of the ids that the directory has returned: `number`, `string` or both.
  const idTypes = new Set<string>()
  const checkFound = (method: string, found: User | undefined): User | undefined => {
    const user = found ?? undefined
    if (user === undefined) return undefined
    const fault = explainNoUser(user) ?? findFault(user)
    if (fault !== undefined) throw toError(new TypeError(`jwt-auth: users.${method} returned ${fault}`))
    idTypes.add(typeof user.id)
    return user
  }

  return {
    idTypes,
    findByUsername: async (username) => {
      const lookup = runInTime(({ signal }) => users.findByUsername(username, { signal, reportFault }))
      return checkFound('findByUsername', await lookup.catch(rethrow))
    },
    findById: async (id) => {
      // A copy of the options would create the signal.
      const lookup = runInTime((options) => users.findById(id, Object.assign(options, { reportFault })))
      const user = checkFound('findById', await lookup.catch(rethrow))
      if (user === undefined || user.id === id) return user
      throw toError(
        String(user.id) === String(id)
          ? new IdTypeError(id, user.id)
          : new TypeError('jwt-auth: users.findById returned a user whose `id` is not the one it was called with.'),
      )
    },
    verifyPassword: async (user, password, { priority } = {}) => {
      const check = async () => users.verifyPassword(user, password, { priority, reportFault })
      const isRight = await check().catch(rethrow)
      if (typeof isRight !== 'boolean')
        throw toError(new TypeError('jwt-auth: users.verifyPassword must resolve to true or false.'))
      const inactive = activeNames.find((name) => [false, 0, '0'].some((mark) => getMember(user, name) === mark))
      if (isRight && inactive !== undefined && user?.disabled === undefined) reportFault?.(explainInactive(inactive))
      // The service checks both conditions again, because a custom directory may omit the checks.
      return isRight && user !== undefined && !user.disabled
    },
  }
}

// The library knows the member `disabled` only.
const activeNames = ['active', 'isActive', 'is_active', 'enabled']
const explainInactive = (name: string): string =>
  `a user logged in whose \`${name}\` is false. If such users may not log in, return \`disabled: !row.${name}\` from both lookups of \`users\`. Otherwise ignore this report.`

/**
 * The error for a directory that returns an id of a different type than the id it was called with.
 */
export class IdTypeError extends TypeError {
  override readonly name = 'IdTypeError'
  /** The message without the name of this package. */
  readonly reason: string

  constructor(asked: UserId, received: UserId) {
    const reason = `users.findById was called with a ${typeof asked}, but returned a user whose \`id\` is a ${typeof received}. Use one type for ids everywhere: 1 and '1' are different ids.`
    super(`jwt-auth: ${reason}`)
    this.reason = reason
  }
}

const toError = (cause: TypeError): AuthError => new AuthError('jwt_auth_internal_error', { cause })

const rethrow = (cause: unknown): never => {
  if (isAuthError(cause)) throw cause
  throw new AuthError('jwt_auth_unavailable', { cause, detail: 'the user directory failed' })
}

// Checked at run time, because directories are written in JavaScript too and a missing field would
// end up in a token.
const findFault = (user: User): string | undefined => {
  for (const [name, { allows, fix }] of fields) {
    const value = user[name]
    if (allows(value)) continue
    return `a user whose \`${name}\` is ${value === undefined ? 'missing' : describeValue(value)}; ${fix}`
  }
  return undefined
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

interface Field {
  readonly allows: (value: unknown) => boolean
  /** What to return, for the message. */
  readonly fix: string
}

const optionalText: Field = {
  allows: (value) => value === undefined || value === null || typeof value === 'string',
  fix: 'return text, null or undefined.',
}

const marks = new Set<unknown>([undefined, null, true, false, 0, 1])

const fieldsByName: Readonly<Record<keyof User, Field>> = {
  id: {
    allows: isUserId,
    fix: 'return a whole number, or 1 to 255 characters of text without control characters, such as `String(user._id)`.',
  },
  email: {
    allows: (value) => typeof value === 'string',
    fix: "return text, or '' for a user without an address.",
  },
  username: optionalText,
  nicename: optionalText,
  displayName: optionalText,
  link: optionalText,
  disabled: {
    // Databases without a boolean type return 0 and 1.
    allows: (value) => marks.has(value),
    fix: 'return true or false.',
  },
  credentialVersion: {
    allows: (value) =>
      value === undefined ||
      value === null ||
      typeof value === 'number' ||
      (typeof value === 'string' && value.length <= 255),
    fix: 'return a number, text of at most 255 characters, null or undefined.',
  },
}
// The names are those of the object above.
const fields = Object.entries(fieldsByName) as [keyof User, Field][]
