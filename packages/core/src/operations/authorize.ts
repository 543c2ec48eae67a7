import type { Auth } from '../access-token/claims.js'
import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { emitRejections, type Note } from './rejections.js'
import type { ServiceContext } from './service-context.js'

/**
 * Checks an access token: first the token itself, then in the storage whether its session is active. The guard, validate and
 * `verify` share this check.
 *
 * @throws AuthError `jwt_auth_invalid_token`, or `jwt_auth_unavailable` when the storage fails
 */
export const authorize = (context: Checks, accessToken: string, address: string | undefined): Promise<Auth> =>
  emitRejections(context, address, (note) => checkToken(context, accessToken, note))

type Checks = Pick<ServiceContext, 'system' | 'verifyAccessToken' | 'findSession' | 'emit'>

/** Checks an access token as {@link authorize} does, and that its user exists and is not disabled. */
export const authorizeUser = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<{ readonly auth: Auth; readonly user: User }> =>
  emitRejections(context, address, async (note) => {
    const auth = await checkToken(context, accessToken, note)
    const user = await context.users.findById(auth.userId)
    if (user === undefined || user.disabled) throw invalid('the user does not exist or is disabled')
    return { auth, user }
  })

/**
 * Checks that the user of an access token has logged in recently (RFC 9470, section 3). Whole seconds, as in the token.
 *
 * @throws AuthError `jwt_auth_insufficient_user_authentication` when the login was longer ago
 */
export const requireRecentLogin = (
  { system }: Pick<ServiceContext, 'system'>,
  { claims }: Auth,
  maxAuthAgeSeconds: number,
): void => {
  const ageSeconds = Math.floor(system.now() / 1000) - claims.auth_time
  if (ageSeconds <= maxAuthAgeSeconds) return
  const detail = `the login was ${ageSeconds} seconds ago`
  throw new AuthError('jwt_auth_insufficient_user_authentication', { maxAuthAgeSeconds, detail })
}

/** Checks an access token as {@link authorize} does, for a client. Counts refused tokens. */
export const validate = (context: ServiceContext, accessToken: string, address: string | undefined): Promise<Auth> =>
  context.limits.limitTokens('validate', address, () => authorize(context, accessToken, address))

/** Returns the user of an access token as they are now, for a client. Counts refused tokens. */
export const findAuthorizedUser = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<User> =>
  context.limits.limitTokens('me', address, async () => (await authorizeUser(context, accessToken, address)).user)

const checkToken = async (context: Checks, accessToken: string, note: Note): Promise<Auth> => {
  const auth = note(context.verifyAccessToken(accessToken, context.system.now()))
  checkSession(await context.findSession(auth.sessionId), auth, context.system.now())
  return auth
}

const checkSession = (session: SessionRecord | undefined, { userId }: Auth, now: EpochMs): void => {
  if (session === undefined) throw invalid('unknown session')
  if (!isActive(session, now)) throw invalid('the session has ended or expired')
  if (session.userId !== userId) throw invalid('the session is of another user')
}

const invalid = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
