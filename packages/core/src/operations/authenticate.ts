import { AuthError } from '../errors/auth-error.js'
import { toAccountKey } from '../limits/limit-keys.js'
import { IdTypeError } from '../ports/checked-users.js'
import type { UserId } from '../ports/user-directory.js'
import type { Device } from '../session/device.js'
import { checkWithinLimits, type PasswordOrigin } from './check-password.js'
import type { AuthenticationResult } from './issue-tokens.js'
import { openSession, type UserChange } from './open-session.js'
import type { ServiceContext } from './service-context.js'

/** A user name and a password as the client sent them. */
export interface Credentials {
  /** The user name as the client sent it. */
  readonly username: string
  /** The password as the client sent it. */
  readonly password: string
}

/** Where a login comes from. */
export interface LoginOrigin extends PasswordOrigin {
  /** What to keep about the device. @default nothing */
  readonly device?: Device | undefined
}

/**
 * Exchanges a user name and a password for a pair of tokens, and opens a session.
 *
 * @throws {@link AuthError} `jwt_auth_failed` for an unknown user, a wrong password and a disabled user alike; `jwt_auth_rate_limited` when a
 * limit is used up; `jwt_auth_unavailable` when users or storage fail.
 */
export const authenticate = async (
  context: ServiceContext,
  { username, password }: Credentials,
  { device = {}, address, signal }: LoginOrigin,
): Promise<AuthenticationResult> => {
  const user = await context.users.findByUsername(username)
  const attempt = { account: toAccountKey(username), user, address, signal }
  const isRight = await checkWithinLimits(context, attempt, password)
  if (user === undefined || !isRight) throw new AuthError('jwt_auth_failed')
  const opened = await openSession(context, user, device).catch(toFault)
  if (opened instanceof IdTypeError) {
    context.reportFault(opened.message.replace(/^jwt-auth: /, ''))
    throw new AuthError('jwt_auth_failed')
  }
  if (typeof opened === 'object') return opened
  const fault = explainChange(opened, user.id)
  if (fault !== undefined) context.reportFault(fault)
  throw new AuthError('jwt_auth_failed')
}

// A mistake of the application fails the login as a wrong password does: any other response would tell that the password was right.
const toFault = (error: unknown): IdTypeError => {
  if (error instanceof IdTypeError) return error
  throw error
}

// A race explains one such login. Two lookups that disagree fail every login, and nothing else tells of it.
const explainChange = (change: UserChange, id: UserId): string | undefined => {
  switch (change) {
    case 'missing':
      return `a login failed although the password was right: \`users.findById\` found no user for an id of the type ${typeof id}, which \`users.findByUsername\` had just returned. Make both read the same users and use one type for ids: 1 and '1' are different ids. Ignore this report if other logins succeed: then the user was deleted during the login.`
    case 'other-version':
      return 'a login failed although the password was right: `users.findById` returned another `credentialVersion` than `users.findByUsername` had just returned. Make both return the same columns. Ignore this report if other logins succeed: then the password was changed during the login.'
    case 'disabled':
      return undefined
  }
}
