import type { Auth } from '../access-token/claims.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import { isRejection } from '../errors/error-table.js'
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
  if (session.userId !== userId) throw invalid('the session belongs to another user')
}

const invalid = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })

/** What a rejected request presented, and where it came from. */
export interface RejectionOrigin {
  /** The user and the session of its token. `undefined` if the token is missing or invalid. */
  readonly presented?: Pick<Auth, 'userId' | 'sessionId'> | undefined
  /** The address of the client. @default the address is unknown */
  readonly address?: string | undefined
}

type Presented = NonNullable<RejectionOrigin['presented']>

/** Notes what a token presents, for the event of a rejection that follows. Returns it. */
export type Note = <P extends Presented>(presented: P) => P

/** Runs the work of a request that presents a token. If it rejects the request, emits `request_rejected` and throws the same error. */
export const emitRejections = async <T>(
  context: Pick<ServiceContext, 'emit' | 'system'>,
  address: string | undefined,
  work: (note: Note) => Promise<T>,
): Promise<T> => {
  let presented: Presented | undefined
  try {
    return await work((found) => {
      presented = found
      return found
    })
  } catch (thrown) {
    if (isAuthError(thrown)) emitRejection(context, thrown, { presented, address })
    throw thrown
  }
}

/** Emits `request_rejected` for an error with the status 401 or 403. Failures of the service and limits have other statuses. */
export const emitRejection = (
  { emit, system }: Pick<ServiceContext, 'emit' | 'system'>,
  { code, detail }: AuthError,
  { presented, address }: RejectionOrigin,
): void => {
  if (!isRejection(code)) return
  emit({
    type: 'request_rejected',
    code,
    detail,
    userId: presented?.userId,
    sessionId: presented?.sessionId,
    ipAddress: address ?? null,
    at: new Date(system.now()),
  })
}
