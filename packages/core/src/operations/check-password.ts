import { isAuthError } from '../errors/auth-error.js'
import { toUserKey } from '../limits/limit-keys.js'
import type { PasswordAttempt } from '../limits/login-limits.js'
import { longestPassword } from '../passwords/hashing.js'
import type { UserId } from '../ports/user-directory.js'
import { checkUser, toCredentialVersion } from '../session/session-record.js'
import type { ServiceContext } from './service-context.js'

/** Where a password comes from. */
export interface PasswordOrigin {
  /** The client's address. Attempts are limited by it. @default the address is unknown */
  readonly address?: string | undefined
  /** Aborts when the client has disconnected. @default never */
  readonly signal?: AbortSignal | undefined
}

/**
 * Checks the password of a signed-in user, within the limits and the hashing queue of logins. Resolves to whether the password is right:
 * `false` too for a user who does not exist, is disabled, has no password, or has another one by the time of the result, and for a
 * value that is no text of 1 to 4,096 UTF-16 code units.
 *
 * @throws {@link AuthError} `jwt_auth_rate_limited` when a limit is used up; `jwt_auth_unavailable` when the user directory fails or the hashing
 * queue is full.
 */
export const checkPassword = async (
  context: ServiceContext,
  { userId, password }: { readonly userId: UserId; readonly password: unknown },
  { address, signal }: PasswordOrigin,
): Promise<boolean> => {
  if (typeof password !== 'string' || password === '' || password.length > longestPassword) return false
  const user = await context.users.findById(userId)
  if (user === undefined) return false
  const isRight = await checkWithinLimits(context, { account: toUserKey(userId), user, address, signal }, password)
  // A password change or a deletion that ran while the password was being checked must win.
  return isRight && checkUser(await context.users.findById(userId), toCredentialVersion(user)).kind === 'ok'
}

/** Checks the password of an attempt within the limits. Announces each wrong password that was checked. */
export const checkWithinLimits = (
  { limits, users, emit, system }: Pick<ServiceContext, 'limits' | 'users' | 'emit' | 'system'>,
  attempt: PasswordAttempt,
  password: string,
): Promise<boolean> =>
  limits.limitPasswordCheck(attempt, async (user, place) => {
    const isRight = await users.verifyPassword(user, password, { place }).catch(toWrongPassword)
    // Without the name: people type passwords there.
    if (!isRight) {
      emit({ type: 'login_failed', userId: user?.id, network: place.network, at: new Date(system.now()) })
    }
    return isRight
  })

// A directory may throw what a login responds with.
const toWrongPassword = (failure: unknown): false => {
  if (isAuthError(failure) && failure.code === 'jwt_auth_failed') return false
  throw failure
}
