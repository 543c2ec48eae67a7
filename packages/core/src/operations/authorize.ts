import type { Auth } from '../access-token/auth.js'
import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import type { ServiceContext } from './service-context.js'

/**
 * The one check behind guard, validate and `verify`: the token proves itself, then storage says whether its session still
 * lives, asked anew each time. Throws `jwt_auth_invalid_token`, or `jwt_auth_unavailable` when storage can't answer.
 */
export const authorize = async (
  { system, verifyAccessToken, findSession }: Pick<ServiceContext, 'system' | 'verifyAccessToken' | 'findSession'>,
  accessToken: string,
): Promise<Auth> => {
  const auth = verifyAccessToken(accessToken, system.now())
  checkSession(await findSession(auth.sessionId), auth, system.now())
  return auth
}

/** Checks an access token as {@link authorize} does, for a client that sends it to be checked: rejected tokens are limited. */
export const validate = (context: ServiceContext, accessToken: string, address: string | undefined): Promise<Auth> =>
  context.limits.limitTokens('validate', address, () => authorize(context, accessToken))

/**
 * Returns the user of an access token, as the directory returns it now. Throws what {@link authorize} throws, and
 * `jwt_auth_invalid_token` when the user does not exist or is disabled. Rejected tokens are limited.
 */
export const findAuthorizedUser = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<User> =>
  context.limits.limitTokens('me', address, async () => requireUser(context, await authorize(context, accessToken)))

/** Checks an access token as {@link authorize} does. Throws `jwt_auth_invalid_token` too when the user does not exist or is disabled. */
export const authorizeUser = async (context: ServiceContext, accessToken: string): Promise<Auth> => {
  const auth = await authorize(context, accessToken)
  await requireUser(context, auth)
  return auth
}

const requireUser = async ({ users }: ServiceContext, { userId }: Auth): Promise<User> => {
  const user = await users.findById(userId)
  if (user !== undefined && !user.disabled) return user
  throw refused('the user does not exist or is disabled')
}

const checkSession = (session: SessionRecord | undefined, { userId }: Auth, now: EpochMs): void => {
  if (session === undefined) throw refused('unknown session')
  if (!isActive(session, now)) throw refused('the session is over')
  if (session.userId !== userId) throw refused('the session is of another user')
}

const refused = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
