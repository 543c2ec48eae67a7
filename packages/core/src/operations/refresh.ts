import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { hashOf, type RefreshToken, readRefreshToken } from '../refresh-token/refresh-token.js'
import { deriveSuccessor, saltBytes } from '../refresh-token/successor.js'
import { decideRefresh } from '../session/decide-refresh.js'
import { rotated, toRotation } from '../session/rotate-session.js'
import { hasTimeForAccessToken, isLive, reasonToEnd } from '../session/session-record.js'
import type { EpochMilliseconds } from '../system.js'
import { endSession } from './end-session.js'
import { type AuthenticationResult, issueTokens } from './issue-tokens.js'
import { retryWhileStale } from './retry-while-stale.js'
import type { ServiceParts } from './service-parts.js'

/**
 * Exchanges a refresh token for a new pair. Throws `jwt_auth_invalid_refresh_token` for whatever is no good, all alike; a
 * replayed token ends its session for good before the answer. `jwt_auth_unavailable` consumes nothing that can't be
 * retried within the grace window.
 */
export const refresh = async (parts: ServiceParts, text: string): Promise<AuthenticationResult> => {
  const presented = readRefreshToken(text)
  if (presented === undefined) throw refused()
  return retryWhileStale(() => tryRefresh(parts, presented))
}

const tryRefresh = async (parts: ServiceParts, presented: RefreshToken): Promise<AuthenticationResult | 'stale'> => {
  const now = parts.system.now()
  const session = await readSession(parts, presented, now)
  const user = await readUser(parts, session, now)
  const { serviceSecrets } = parts.keyRing
  const decision = decideRefresh(session, presented, {
    now,
    graceSeconds: parts.policy.refreshGraceSeconds,
    serviceSecrets,
  })
  switch (decision.kind) {
    case 'replay':
      await endSession(parts, session, { at: now, reason: 'refresh_token_replayed' })
      throw refused()
    case 'former-key':
      throw refused()
    case 'repeat':
      return repeat(parts, { session, user, refreshToken: decision.current }, now)
    case 'rotate':
      return rotate(parts, { session, user, refreshToken: presented }, now)
  }
}

interface Grant {
  readonly session: SessionRecord
  readonly user: User
  readonly refreshToken: RefreshToken
}

/** Leads to the current refresh token; extends nothing and writes nothing. */
const repeat = async (parts: ServiceParts, grant: Grant, now: EpochMilliseconds): Promise<AuthenticationResult> => {
  if (!hasTimeForAccessToken(grant.session, now)) throw refused()
  const hostClaims = await parts.readHostClaims(grant.user)
  return issueTokens(parts.issueAccessToken, { ...grant, hostClaims }, now)
}

const rotate = async (
  parts: ServiceParts,
  { session, user, refreshToken }: Grant,
  now: EpochMilliseconds,
): Promise<AuthenticationResult | 'stale'> => {
  const salt = parts.system.randomBytes(saltBytes)
  const [serviceSecret] = parts.keyRing.serviceSecrets
  const successor = deriveSuccessor(refreshToken, { salt, serviceSecret })
  const rotation = toRotation(session, { token: successor, salt }, { now, policy: parts.policy })
  const next = rotated(session, rotation)
  if (!hasTimeForAccessToken(next, now)) throw refused()
  // Everything that can fail comes before the swap, so that a failure consumes nothing.
  const hostClaims = await parts.readHostClaims(user)
  const grant = { session: next, user, refreshToken: successor, hostClaims }
  const result = await issueTokens(parts.issueAccessToken, grant, now)
  return (await parts.storage.rotate(rotation)) === 'rotated' ? result : 'stale'
}

const readSession = async (
  { storage }: ServiceParts,
  presented: RefreshToken,
  now: EpochMilliseconds,
): Promise<SessionRecord> => {
  const session = await storage.findBySelectorHash(hashOf(presented.selector))
  if (session === undefined || !isLive(session, now)) throw refused()
  return session
}

/** The session's user as they are now; where they can't go on, the session ends here. */
const readUser = async (parts: ServiceParts, session: SessionRecord, now: EpochMilliseconds): Promise<User> => {
  const user = await parts.users.findById(session.userId)
  const reason = reasonToEnd(user, session.credentialVersion)
  if (user !== undefined && reason === undefined) return user
  await endSession(parts, session, { at: now, reason: reason ?? 'user_unavailable' })
  throw refused()
}

const refused = (): AuthError => new AuthError('jwt_auth_invalid_refresh_token')
