import type { Auth } from '../access-token/auth.js'
import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { isLive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import type { ServiceParts } from './service-parts.js'

/**
 * The one check behind guard, validate and `verify`: the token proves itself, then storage says whether its session still
 * lives, asked anew each time. Throws `jwt_auth_invalid_token`, or `jwt_auth_unavailable` when storage can't answer.
 */
export const authorize = async (
  { system, verifyAccessToken, findSession }: Pick<ServiceParts, 'system' | 'verifyAccessToken' | 'findSession'>,
  accessToken: string,
): Promise<Auth> => {
  const auth = verifyAccessToken(accessToken, system.now())
  checkSession(await findSession(auth.sessionId), auth, system.now())
  return auth
}

/** Checks an access token as {@link authorize} does, for a client that sends it to be checked: rejected tokens are limited. */
export const validate = (parts: ServiceParts, accessToken: string, address: string | undefined): Promise<Auth> =>
  parts.limits.limitTokens('validate', address, () => authorize(parts, accessToken))

/**
 * Returns the user of an access token, as the directory returns it now. Throws what {@link authorize} throws, and
 * `jwt_auth_invalid_token` when the user does not exist or is disabled. Rejected tokens are limited.
 */
export const findAuthorizedUser = (
  parts: ServiceParts,
  accessToken: string,
  address: string | undefined,
): Promise<User> =>
  parts.limits.limitTokens('me', address, async () => requireUser(parts, await authorize(parts, accessToken)))

/** Checks an access token as {@link authorize} does. Throws `jwt_auth_invalid_token` too when the user does not exist or is disabled. */
export const authorizeUser = async (parts: ServiceParts, accessToken: string): Promise<Auth> => {
  const auth = await authorize(parts, accessToken)
  await requireUser(parts, auth)
  return auth
}

const requireUser = async ({ users }: ServiceParts, { userId }: Auth): Promise<User> => {
  const user = await users.findById(userId)
  if (user !== undefined && !user.disabled) return user
  throw refused('the user does not exist or is disabled')
}

const checkSession = (session: SessionRecord | undefined, { userId }: Auth, now: EpochMs): void => {
  if (session === undefined) throw refused('unknown session')
  if (!isLive(session, now)) throw refused('the session is over')
  if (session.userId !== userId) throw refused('the session is of another user')
}

const refused = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
