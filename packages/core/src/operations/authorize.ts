import type { Auth } from '../access-token/claims.js'
import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import type { ServiceContext } from './service-context.js'

/**
 * Checks an access token: first the token itself, then in the storage whether its session is active. The guard, validate and
 * `verify` share this check.
 *
 * @throws AuthError `jwt_auth_invalid_token`, or `jwt_auth_unavailable` when the storage fails
 */
export const authorize = async (
  { system, verifyAccessToken, findSession }: Pick<ServiceContext, 'system' | 'verifyAccessToken' | 'findSession'>,
  accessToken: string,
): Promise<Auth> => {
  const auth = verifyAccessToken(accessToken, system.now())
  checkSession(await findSession(auth.sessionId), auth, system.now())
  return auth
}

/** Checks an access token as {@link authorize} does, and that its user exists and is not disabled. */
export const authorizeUser = async (context: ServiceContext, accessToken: string): Promise<Auth> => {
  const auth = await authorize(context, accessToken)
  await requireUser(context, auth)
  return auth
}

/** Checks an access token as {@link authorize} does, for a client. Counts refused tokens. */
export const validate = (context: ServiceContext, accessToken: string, address: string | undefined): Promise<Auth> =>
  context.limits.limitTokens('validate', address, () => authorize(context, accessToken))

/** Returns the user of an access token as they are now, for a client. Counts refused tokens. */
export const findAuthorizedUser = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<User> =>
  context.limits.limitTokens('me', address, async () => requireUser(context, await authorize(context, accessToken)))

const checkSession = (session: SessionRecord | undefined, { userId }: Auth, now: EpochMs): void => {
  if (session === undefined) throw invalid('unknown session')
  if (!isActive(session, now)) throw invalid('the session has ended or expired')
  if (session.userId !== userId) throw invalid('the session is of another user')
}

const requireUser = async ({ users }: ServiceContext, { userId }: Auth): Promise<User> => {
  const user = await users.findById(userId)
  if (user !== undefined && !user.disabled) return user
  throw invalid('the user does not exist or is disabled')
}

const invalid = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
