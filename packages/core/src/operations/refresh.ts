import { AuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { parseRefreshToken, type RefreshToken, toHash } from '../refresh-token/refresh-token.js'
import { deriveSuccessor, saltBytes } from '../refresh-token/successor.js'
import { decideRefresh } from '../session/decide-refresh.js'
import { type Device, type Place, toStoredDevice } from '../session/device.js'
import { rotated, toRotation } from '../session/rotate-session.js'
import { checkUser, hasTimeForAccessToken, isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { endSession } from './end-session.js'
import { type AuthenticationResult, issueTokens } from './issue-tokens.js'
import { mostRepeats } from './repeat-counter.js'
import { retryWhileStale } from './retry-while-stale.js'
import type { ServiceContext } from './service-context.js'

/** Where a refresh comes from. */
export interface RefreshOrigin {
  /** The device, whose address and user agent the session and events keep. @default nothing */
  readonly device?: Device | undefined
  /** The client's address. Refused tokens are limited by it. @default the address is unknown */
  readonly address?: string | undefined
}

/**
 * Exchanges a refresh token for a new pair. Throws `jwt_auth_invalid_refresh_token` for every token that is not valid. A
 * replayed token ends its session permanently before the response. Throws `jwt_auth_rate_limited` for too many repeats of a replaced
 * token, which end nothing. `jwt_auth_unavailable` consumes nothing that can't be retried within the grace window.
 */
export const refresh = (
  context: ServiceContext,
  text: string,
  { device = {}, address }: RefreshOrigin,
): Promise<AuthenticationResult> =>
  context.limits.limitTokens('refresh', address, async () => {
    const token = parseRefreshToken(text)
    if (token === undefined) throw refused()
    const { userAgent, ipAddress } = toStoredDevice(device)
    return retryWhileStale(() => tryRefresh(context, { token, place: { userAgent, ipAddress } }))
  })

/** A refresh token, and where it was presented. */
interface Presentation {
  readonly token: RefreshToken
  readonly place: Place
}

const tryRefresh = async (
  context: ServiceContext,
  { token: presented, place }: Presentation,
): Promise<AuthenticationResult | 'stale'> => {
  const now = context.system.now()
  const session = await requireSession(context, presented, now)
  const user = await requireUser(context, session, now)
  const { serviceSecrets } = context.keyRing
  const decision = decideRefresh(session, presented, {
    now,
    graceSeconds: context.policy.refreshGraceSeconds,
    serviceSecrets,
  })
  switch (decision.kind) {
    case 'replay':
      await endReplayed(context, { session, place }, now)
      throw refused()
    case 'former-key':
      throw refused()
    case 'repeat':
      await noteRepeat(context, { session, token: presented, place }, now)
      return repeat(context, { session, user, refreshToken: decision.current }, now)
    case 'rotate':
      return rotate(context, { session, user, refreshToken: presented, place }, now)
  }
}

/** A session, and where a replaced token of it was presented. */
interface Sighting {
  readonly session: SessionRecord
  readonly place: Place
}

const endReplayed = async (context: ServiceContext, sighting: Sighting, now: EpochMs): Promise<void> => {
  const { session } = sighting
  const { outcome } = await endSession(context, session, { at: now, reason: 'refresh_token_replayed' })
  if (outcome === 'ended') context.emit({ type: 'refresh_token_replayed', ...describe(sighting, now) })
}

/** Counts and announces a repeat within the grace window; refuses it where there were too many, or where it ends the session. */
const noteRepeat = async (
  context: ServiceContext,
  { token, ...sighting }: Sighting & Presentation,
  now: EpochMs,
): Promise<void> => {
  const { session, place } = sighting
  const count = context.countRepeat(toHash(token.verifier))
  // The first one beyond the limit is announced too, and no flood of events follows.
  if (count <= mostRepeats + 1) {
    context.emit({ type: 'refresh_token_repeated', count, ...describe(sighting, now) })
  }
  if (context.policy.endSessionOnRepeatFromOtherNetwork && isFromOtherNetwork(session, place)) {
    await endSession(context, session, { at: now, reason: 'refresh_token_repeated' })
    throw refused()
  }
  if (count > mostRepeats) throw new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 1 })
}

// An unknown address is no other network.
const isFromOtherNetwork = ({ lastIpAddress }: SessionRecord, { ipAddress }: Place): boolean =>
  lastIpAddress !== null && ipAddress !== null && toNetwork(lastIpAddress) !== toNetwork(ipAddress)

const describe = ({ session, place }: Sighting, now: EpochMs) => ({
  userId: session.userId,
  sessionId: session.id,
  at: new Date(now),
  presentedFrom: place,
  lastRefreshedFrom: { userAgent: session.lastUserAgent, ipAddress: session.lastIpAddress },
})

interface Grant {
  readonly session: SessionRecord
  readonly user: User
  readonly refreshToken: RefreshToken
}

/** Leads to the current refresh token; extends nothing and writes nothing. */
const repeat = async (context: ServiceContext, grant: Grant, now: EpochMs): Promise<AuthenticationResult> => {
  if (!hasTimeForAccessToken(grant.session, now)) throw refused()
  const hostClaims = await context.readHostClaims(grant.user)
  return issueTokens(context.issueAccessToken, { ...grant, hostClaims }, now)
}

const rotate = async (
  context: ServiceContext,
  { session, user, refreshToken, place }: Grant & { readonly place: Place },
  now: EpochMs,
): Promise<AuthenticationResult | 'stale'> => {
  const salt = context.system.randomBytes(saltBytes)
  const [serviceSecret] = context.keyRing.serviceSecrets
  const successor = deriveSuccessor(refreshToken, { salt, serviceSecret })
  const rotation = toRotation(session, { token: successor, salt, place }, { now, policy: context.policy })
  const next = rotated(session, rotation)
  if (!hasTimeForAccessToken(next, now)) throw refused()
  // Everything that can fail comes before the swap, so that a failure consumes nothing.
  const hostClaims = await context.readHostClaims(user)
  const grant = { session: next, user, refreshToken: successor, hostClaims }
  const result = await issueTokens(context.issueAccessToken, grant, now)
  return (await context.storage.rotate(rotation)) === 'rotated' ? result : 'stale'
}

const requireSession = async (
  { storage, watchClock }: ServiceContext,
  presented: RefreshToken,
  now: EpochMs,
): Promise<SessionRecord> => {
  const session = await storage.findBySelectorHash(toHash(presented.selector))
  if (session === undefined || !isActive(session, now)) throw refused()
  watchClock(session, now)
  return session
}

/** Returns the session's user as they are now. Ends the session when it can't go on for them. */
const requireUser = async (context: ServiceContext, session: SessionRecord, now: EpochMs): Promise<User> => {
  const check = checkUser(await context.users.findById(session.userId), session.credentialVersion)
  if (check.kind === 'ok') return check.user
  await endSession(context, session, { at: now, reason: check.reason })
  throw refused()
}

const refused = (): AuthError => new AuthError('jwt_auth_invalid_refresh_token')
