import type { Auth } from '../access-token/claims.js'
import { AuthError } from '../errors/auth-error.js'
import { emitRejections, type Note } from '../events/rejections.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { checkUser, isActive } from '../session/session-record.js'
import type { ServiceContext } from './service-context.js'

/**
 * Checks an access token: first the token itself, then in the storage whether its session is active. The guard, validate and
 * `verify` share this check.
 *
 * @throws AuthError `jwt_auth_invalid_token`, or `jwt_auth_unavailable` when the storage fails
 */
export const authorize = (context: Checks, accessToken: string, address: string | undefined): Promise<Auth> =>
  emitRejections(context, address, async (note) => (await checkToken(context, accessToken, note)).auth)

type Checks = Pick<ServiceContext, 'system' | 'verifyAccessToken' | 'storage' | 'emit' | 'reportFault'>

/**
 * Checks an access token as {@link authorize} does, and its user as a refresh does: the user exists,
 * is not disabled and has the credential version of the session.
 */
export const authorizeUser = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<{ readonly auth: Auth; readonly user: User }> =>
  emitRejections(context, address, async (note) => {
    const { auth, session } = await checkToken(context, accessToken, note)
    const check = checkUser(await context.users.findById(auth.userId), session.credentialVersion)
    if (check.kind === 'ok') return { auth, user: check.user }
    const isMissing = check.reason === 'user_unavailable'
    throw invalid(isMissing ? 'the user does not exist or is disabled' : 'the user has another credential version')
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

const checkToken = async (
  context: Checks,
  accessToken: string,
  note: Note,
): Promise<{ readonly auth: Auth; readonly session: SessionRecord }> => {
  const auth = note(context.verifyAccessToken(accessToken, context.system.now()))
  const session = await context.storage.findById(auth.sessionId)
  if (session === undefined) {
    context.reportFault(unknownSession)
    throw invalid('unknown session')
  }
  if (!isActive(session, context.system.now())) throw invalid('the session has ended or expired')
  if (session.userId !== auth.userId) throw invalid('the session belongs to another user')
  return { auth, session }
}

const unknownSession =
  'a valid token was rejected: the storage does not contain its session. All instances need one storage. `memoryStorage()` belongs to one process, and its sessions end with the process.'

const invalid = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
