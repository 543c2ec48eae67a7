import type { Auth } from '../access-token/claims.js'
import type { DpopRequest } from '../dpop/check-proof.js'
import { checkPossession } from '../dpop/possession.js'
import { AuthError, invalidToken } from '../errors/auth-error.js'
import { emitRejections, type IdentifyCaller } from '../events/rejections.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { checkUser, isActive } from '../session/session-record.js'
import type { ServiceContext } from './service-context.js'

/** How an access token is checked. */
export interface AuthorizeOptions {
  /** The client's address, for events and limits. @default the address is unknown */
  readonly address?: string | undefined
  /**
   * The maximum age of the login, in seconds. A refresh is no login.
   * @default a login of any age
   */
  readonly maxAuthAgeSeconds?: number | undefined
  /**
   * The request, if it has the token with the scheme `DPoP`.
   * @default the token is presented as a bearer token, and a bound token is refused
   */
  readonly dpop?: DpopRequest | undefined
  /** Whether the rate limits apply, because a client asks for the check. @default false */
  readonly isLimited?: boolean | undefined
}

/**
 * Checks an access token: first the token itself and the proof of its key, then in the storage
 * whether its session is active, then the age of the login.
 *
 * @throws AuthError `jwt_auth_invalid_token`; `jwt_auth_invalid_dpop_proof` or
 *   `jwt_auth_use_dpop_nonce` for a bound token; `jwt_auth_insufficient_user_authentication` when the
 *   login was longer ago; `jwt_auth_unavailable` when the storage fails; `jwt_auth_rate_limited`
 *   when a limit is used up
 */
export const authorize = (context: ServiceContext, accessToken: string, options: AuthorizeOptions): Promise<Auth> =>
  check(context, { route: 'validate', accessToken, options }, ({ auth }) => auth)

/**
 * Checks an access token as {@link authorize} does, and its user as a refresh does: the user
 * exists, is not disabled and has the credential version of the session.
 */
export const authorizeUser = (
  context: ServiceContext,
  accessToken: string,
  options: AuthorizeOptions,
): Promise<{ readonly auth: Auth; readonly user: User }> =>
  check(context, { route: 'me', accessToken, options }, async ({ auth, session }) => {
    const found = checkUser(await context.users.findById(auth.userId), session.credentialVersion)
    if (typeof found === 'object') return { auth, user: found }
    if (found === 'other-version') throw invalidToken('the user has another credential version')
    throw invalidToken('the user does not exist or is disabled')
  })

/** A token that a client presents, and how it is checked. */
interface Presented {
  readonly route: 'validate' | 'me'
  readonly accessToken: string
  readonly options: AuthorizeOptions
}

/** A token and its active session. */
interface CheckedToken {
  readonly auth: Auth
  readonly session: SessionRecord
}

const check = <T>(
  context: ServiceContext,
  { route, accessToken, options }: Presented,
  complete: (token: CheckedToken) => T | Promise<T>,
): Promise<T> => {
  const { address, maxAuthAgeSeconds, isLimited } = options
  const checkOnce = (): Promise<T> =>
    emitRejections(context, address, async (identify) => {
      const token = await checkToken(context, { accessToken, dpop: options.dpop }, identify)
      const completed = complete(token)
      // Without a lookup of the user, a guard waits for the storage alone.
      const result = completed instanceof Promise ? await completed : completed
      if (maxAuthAgeSeconds !== undefined) requireRecentLogin(context, token.auth, maxAuthAgeSeconds)
      return result
    })
  return isLimited === true ? context.limits.limitTokens(route, address, checkOnce) : checkOnce()
}

// RFC 9470, section 3. Whole seconds, as in the token.
const requireRecentLogin = ({ system }: ServiceContext, { claims }: Auth, maxAuthAgeSeconds: number): void => {
  const ageSeconds = Math.floor(system.now() / 1000) - claims.auth_time
  if (ageSeconds <= maxAuthAgeSeconds) return
  const detail = `the login was ${ageSeconds} seconds ago`
  throw new AuthError('jwt_auth_insufficient_user_authentication', { maxAuthAgeSeconds, detail })
}

const checkToken = async (
  context: ServiceContext,
  { accessToken, dpop }: { readonly accessToken: string; readonly dpop: DpopRequest | undefined },
  identify: IdentifyCaller,
): Promise<CheckedToken> => {
  const auth = identify(context.verifyAccessToken(accessToken, context.system.now()))
  const proof = checkPossession(context, { accessToken, auth }, dpop)
  const session = await context.storage.findById(auth.sessionId)
  if (session === undefined) {
    context.reportFault(unknownSession)
    throw invalidToken('unknown session')
  }
  if (!isActive(session, context.system.now())) throw invalidToken('the session has ended or expired')
  if (session.userId !== auth.userId) throw invalidToken('the session belongs to another user')
  if (proof !== undefined && proof.thumbprint !== session.dpopThumbprint) {
    throw invalidToken('the session is bound to another key than the token')
  }
  proof?.use()
  return { auth, session }
}

const unknownSession =
  'a valid token was rejected: the storage does not contain its session. All instances need one storage. `memoryStorage()` belongs to one process, and its sessions end with the process.'
