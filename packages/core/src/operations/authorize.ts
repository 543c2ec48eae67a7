import type { Auth } from '../access-token/claims.js'
import { checkPossession } from '../dpop/possession.js'
import type { PresentedToken } from '../dpop/presented-token.js'
import { AuthError, invalidToken } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { checkUser, isActive, toResultUser } from '../session/session-record.js'
import type { Call } from './call.js'
import type { ServiceContext } from './service-context.js'

/** What a valid access token must fulfil. */
export interface TokenRules {
  /**
   * The maximum age of the login, in seconds. A refresh is no login.
   * @default a login of any age
   */
  readonly maxAuthAgeSeconds?: number | undefined
}

/** Who presented an access token. */
export interface Caller {
  /** The user, the session and the claims of the access token. */
  readonly auth: Auth
  /** The user, as the directory returns them now. `undefined` unless the user was checked. */
  readonly user?: User
}

/**
 * Checks an access token: first the token itself and the proof of its key, then in the storage
 * whether its session is active, then the age of the login.
 *
 * @throws AuthError `jwt_auth_invalid_token`; `jwt_auth_invalid_dpop_proof` or
 *   `jwt_auth_use_dpop_nonce` for a bound token; `jwt_auth_insufficient_user_authentication` when
 *   the login was longer ago; `jwt_auth_unavailable` when the storage fails
 */
export const authorize = async (
  context: ServiceContext,
  { accessToken, dpop, maxAuthAgeSeconds }: PresentedToken & TokenRules,
  call: Call,
): Promise<{ readonly auth: Auth; readonly session: SessionRecord }> => {
  const { system, storage, reportFault } = context
  const auth = context.verifyAccessToken(accessToken, system.now())
  call.presented = auth
  const proof = checkPossession(context, { accessToken, auth }, dpop)
  const session = await storage.findById(auth.sessionId)
  if (session === undefined) {
    reportFault(unknownSession)
    throw invalidToken('unknown session')
  }
  if (!isActive(session, system.now())) throw invalidToken('the session has ended or expired')
  if (session.userId !== auth.userId) throw invalidToken('the session belongs to another user')
  if (proof !== undefined && proof.thumbprint !== session.dpopThumbprint) {
    throw invalidToken('the session is bound to another key than the token')
  }
  proof?.use()
  if (maxAuthAgeSeconds !== undefined) requireRecentLogin(context, auth, maxAuthAgeSeconds)
  return { auth, session }
}

/**
 * Checks an access token as {@link authorize} does, and its user as a refresh does: the user
 * exists, is not disabled and has the credential version of the session.
 */
export const authorizeUser = async (
  context: ServiceContext,
  token: PresentedToken & TokenRules,
  call: Call,
): Promise<Required<Caller>> => {
  const { auth, session } = await authorize(context, token, call)
  const user = checkUser(await context.users.findById(auth.userId), session.credentialVersion)
  if (user === 'other-version') throw invalidToken('the user has another credential version')
  if (typeof user !== 'object') throw invalidToken('the user does not exist or is disabled')
  return { auth, user: toResultUser(user) }
}

const unknownSession =
  'a valid token was rejected: the storage does not contain its session. All instances need one storage. `memoryStorage()` belongs to one process, and its sessions end with the process.'

// RFC 9470, section 3. Whole seconds, as in the token.
const requireRecentLogin = ({ system }: ServiceContext, { claims }: Auth, maxAuthAgeSeconds: number): void => {
  const ageSeconds = Math.floor(system.now() / 1000) - claims.auth_time
  if (ageSeconds <= maxAuthAgeSeconds) return
  const detail = `the login was ${ageSeconds} seconds ago`
  throw new AuthError('jwt_auth_insufficient_user_authentication', { maxAuthAgeSeconds, detail })
}
