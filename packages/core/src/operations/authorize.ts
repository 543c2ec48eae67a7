import type { Auth } from '../access-token/auth.js'
import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
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

const checkSession = (session: SessionRecord | undefined, { userId }: Auth, now: EpochMs): void => {
  if (session === undefined) throw refused('unknown session')
  if (!isLive(session, now)) throw refused('the session is over')
  if (session.userId !== userId) throw refused('the session is of another user')
}

const refused = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })
