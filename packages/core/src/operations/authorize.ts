import type { AccessTokenClaims } from '../access-token/claims.js'
import { AuthError } from '../errors/auth-error.js'
import type { UserId } from '../ports/user-directory.js'
import { isLive } from '../session/session-record.js'
import type { ServiceParts } from './service-parts.js'

/** Who a request comes from, as its access token proved. Frozen to its leaves, and no object in it has inherited members. */
export interface Auth {
  readonly userId: UserId
  readonly sessionId: string
  readonly claims: AccessTokenClaims
}

/**
 * The one check behind guard, validate and `verify`: the token proves itself, then storage says whether its session still
 * lives, asked anew each time. Throws `jwt_auth_invalid_token`, or `jwt_auth_unavailable` when storage can't answer.
 */
export const authorize = async (
  { system, verifyAccessToken, findSession }: Pick<ServiceParts, 'system' | 'verifyAccessToken' | 'findSession'>,
  accessToken: string,
): Promise<Auth> => {
  const claims = verifyAccessToken(accessToken, system.now())
  const userId = claims.data.user.id
  const session = await findSession(claims.sid)
  if (session === undefined) throw refused('unknown session')
  if (!isLive(session, system.now())) throw refused('the session is over')
  if (session.userId !== userId) throw refused('the session is of another user')
  return Object.freeze({ __proto__: null, userId, sessionId: session.id, claims })
}

const refused = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
