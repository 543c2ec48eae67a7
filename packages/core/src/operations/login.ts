import { IdTypeError } from '../checked/checked-users.js'
import { checkOptionalProof, requireBinding } from '../dpop/possession.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { LoginFailure } from '../events/auth-event.js'
import { toAccountKey, toAccountOfUser } from '../limits/buckets.js'
import type { PasswordAttempt } from '../limits/login-limits.js'
import { toNetwork } from '../network.js'
import { getMember, readOptions } from '../option-checks.js'
import { maxPasswordLength, type User, type UserId } from '../ports/user-directory.js'
import {
  checkUser,
  toCredentialVersion,
  toResultUser,
  toStoredDevice,
  type UserChange,
} from '../session/session-record.js'
import { parseUserId } from '../user-id.js'
import type { Call } from './call.js'
import type { AuthenticationResult } from './issue-tokens.js'
import { createLoginReaders, type LoginOptions, openSession } from './open-session.js'
import type { ServiceContext } from './service-context.js'

/** A user name and a password as the client sent them. */
export interface Credentials {
  /** The user name, 1 to 4,096 UTF-16 code units. */
  readonly username: string
  /** The password, 1 to 4,096 UTF-16 code units. */
  readonly password: string
}

/**
 * Checks a user name and a password, within the limits and the hashing queue of logins. Resolves to
 * the user.
 *
 * @throws AuthError `jwt_auth_failed` for an unknown user, a wrong password and a disabled user
 *   alike; `jwt_auth_rate_limited` when a limit is used up; `jwt_auth_unavailable` when the user
 *   directory fails or the hashing queue is full
 */
export const checkCredentials = async (
  context: ServiceContext,
  { username, password }: Credentials,
  { request: { address, signal } }: Call,
): Promise<User> => {
  if (signal?.aborted) throw new AuthError('jwt_auth_invalid_request', { detail: 'the client disconnected' })
  const user = await context.users.findByUsername(username)
  const attempt = { account: toAccountKey(username), user, address, signal }
  const isRight = await checkWithinLimits(context, attempt, password)
  if (user === undefined || !isRight) throw new AuthError('jwt_auth_failed')
  return toResultUser(user)
}

/**
 * Checks a user name and a password as {@link checkCredentials} does, and opens a session.
 *
 * @throws AuthError `jwt_auth_invalid_dpop_proof` or `jwt_auth_use_dpop_nonce` for the proof;
 *   `jwt_auth_failed` also when the user changed during the check
 */
export const login = async (
  context: ServiceContext,
  { credentials, options }: { readonly credentials: Credentials; readonly options: LoginOptions | undefined },
  call: Call,
): Promise<AuthenticationResult> => {
  const { request } = call
  const { address } = request
  const device = toStoredDevice(request.device ?? {})
  const chosen = options && readOptions('login', options, createLoginReaders(context))
  const proof = checkOptionalProof(context, request)
  requireBinding(context, proof?.thumbprint)
  const user = await checkCredentials(context, credentials, call)
  try {
    proof?.use()
  } catch (refused) {
    // Somebody who tests passwords with used proofs must not stay unnoticed.
    emitFailure(context, { user, address }, 'proof_used')
    throw refused
  }
  const opening = { ...chosen, device, dpopThumbprint: proof?.thumbprint ?? null }
  const opened = await openSession(context, user, opening).catch(toIdTypeError)
  if (typeof opened === 'object' && 'accessToken' in opened) {
    const { sessionId } = opened
    context.emit({ type: 'login_succeeded', userId: user.id, sessionId, ...toOrigin(context, address) })
    return opened
  }
  const fault = opened instanceof IdTypeError ? opened.reason : explainChange(opened, user.id)
  if (fault !== undefined) context.reportFault(fault)
  emitFailure(context, { user, address }, 'user_changed')
  throw new AuthError('jwt_auth_failed')
}

/**
 * Checks the password of a signed-in user, within the limits and the hashing queue of logins.
 * Resolves to the user.
 *
 * @throws AuthError `jwt_auth_failed` for a wrong password, and for a value that is not text of 1
 *   to 4,096 UTF-16 code units; if the user does not exist, is disabled or has no password; and if
 *   the password changed during the check. `jwt_auth_rate_limited` when a limit is used up;
 *   `jwt_auth_unavailable` when the user directory fails or the hashing queue is full
 */
export const requirePassword = async (
  context: ServiceContext,
  { userId: givenId, password }: { readonly userId: UserId; readonly password: unknown },
  { request: { address, signal } }: Call,
): Promise<User> => {
  const userId = parseUserId(givenId)
  if (typeof password !== 'string' || password === '' || password.length > maxPasswordLength) {
    throw new AuthError('jwt_auth_failed')
  }
  const user = await context.users.findById(userId)
  if (user === undefined) throw new AuthError('jwt_auth_failed')
  const attempt = { account: toAccountOfUser(userId), user, address, signal }
  const isRight = await checkWithinLimits(context, attempt, password)
  if (!isRight) throw new AuthError('jwt_auth_failed', { detail: wrongPassword })
  // A password change or a deletion during the password check must win.
  const checked = checkUser(await context.users.findById(userId), toCredentialVersion(user))
  if (typeof checked === 'object') return toResultUser(checked)
  throw new AuthError('jwt_auth_failed')
}

// An application that forgets `await` sees this in the unhandled rejection.
const wrongPassword = 'the password is wrong: respond only after `await requirePassword(…)`'

const checkWithinLimits = (context: ServiceContext, attempt: PasswordAttempt, password: string): Promise<boolean> =>
  context.limits.limitPasswordCheck(attempt, async (user, priority) => {
    const isRight = await context.users.verifyPassword(user, password, { priority }).catch(toWrongPassword)
    if (!isRight) emitFailure(context, attempt, toFailure(user))
    return isRight
  })

const toFailure = (user: User | undefined): LoginFailure => {
  if (user === undefined) return 'unknown_user'
  return user.disabled ? 'user_disabled' : 'wrong_password'
}

// Without the name, because people type passwords into that field.
const emitFailure = (
  context: ServiceContext,
  { user, address }: Pick<PasswordAttempt, 'user' | 'address'>,
  reason: LoginFailure,
): void =>
  context.emit({
    type: 'login_failed',
    reason,
    userId: user?.id,
    network: toNetwork(address),
    ...toOrigin(context, address),
  })

const toOrigin = ({ system }: ServiceContext, address: string | undefined) => ({
  ipAddress: address ?? null,
  at: new Date(system.now()),
})

// A directory may throw the error that a login responds with.
const toWrongPassword = (failure: unknown): false => {
  if (isAuthError(failure) && failure.code === 'jwt_auth_failed') return false
  throw failure
}

// This mistake of the application fails the login as a wrong password does: any other response
// would reveal that the password was right.
const toIdTypeError = (error: unknown): IdTypeError => {
  const cause = getMember(error, 'cause')
  if (cause instanceof IdTypeError) return cause
  throw error
}

// A race explains one such login. If the two lookups disagree permanently, every login fails, and
// this report is the only sign of it.
const explainChange = (change: UserChange, id: UserId): string | undefined => {
  switch (change) {
    case 'missing':
      return `a login failed although the password was right: \`users.findById\` found no user for an id of the type ${typeof id}, which \`users.findByUsername\` had just returned. Make both read the same users and use one type for ids: 1 and '1' are different ids. Ignore this report if other logins succeed: then the user was deleted during the login.`
    case 'other-version':
      return 'a login failed although the password was right: `users.findById` returned a different `credentialVersion` from the one that `users.findByUsername` had just returned. Make both return the same columns. Ignore this report if other logins succeed: then the password was changed during the login.'
    case 'disabled':
      return undefined
  }
}
