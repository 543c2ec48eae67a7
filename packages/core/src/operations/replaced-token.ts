import { AuthError } from '../errors/auth-error.js'
import type { RefreshTokenReuse } from '../events/auth-event.js'
import { toNetwork } from '../network.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { ClientInfo } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { endSession } from './end-session.js'
import type { ServiceContext } from './service-context.js'

/**
 * A session, and the address and user agent from which one of its replaced tokens was presented.
 */
interface TokenReuse {
  readonly session: SessionRecord
  readonly client: ClientInfo
  /** The address of the client. */
  readonly address: string | undefined
}

/** Creates the error of an invalid refresh token. */
export const invalidRefreshToken = (): AuthError => new AuthError('jwt_auth_invalid_refresh_token')

/** Ends the session of a replayed token. */
export const endReplayed = async (context: ServiceContext, reuse: TokenReuse, now: EpochMs): Promise<void> => {
  const outcome = await endSession(context, reuse.session, {
    at: now,
    reason: 'refresh_token_replayed',
    ipAddress: reuse.address,
  })
  if (outcome === 'ended') context.emit({ type: 'refresh_token_replayed', ...describeReuse(reuse, now) })
}

/** Ends the session of a repeat from another network, if the service is configured so. */
export const checkRepeat = async (context: ServiceContext, reuse: TokenReuse, now: EpochMs): Promise<void> => {
  if (!context.policy.endSessionOnRepeatFromOtherNetwork || !isFromOtherNetwork(reuse)) return
  announceRepeat(context, reuse, now)
  await endSession(context, reuse.session, { at: now, reason: 'refresh_token_repeated', ipAddress: reuse.address })
  throw invalidRefreshToken()
}

/** Emits the event of a repeat within the grace window, unless the session has caused too many. */
export const announceRepeat = (context: ServiceContext, reuse: TokenReuse, now: EpochMs): void => {
  const kind = isFromOtherNetwork(reuse) ? 'other_network' : 'same_network'
  const count = context.countReuse(reuse.session.id, kind, now)
  if (count !== undefined) context.emit({ type: 'refresh_token_repeated', count, ...describeReuse(reuse, now) })
}

// An unknown address is not another network.
const isFromOtherNetwork = ({ session: { lastIpAddress }, client: { ipAddress } }: TokenReuse): boolean =>
  lastIpAddress !== null && ipAddress !== null && toNetwork(lastIpAddress) !== toNetwork(ipAddress)

/** Describes where a refresh token was presented, and where the last refresh came from. */
export const describeReuse = ({ session, client }: Omit<TokenReuse, 'address'>, now: EpochMs): RefreshTokenReuse => ({
  userId: session.userId,
  sessionId: session.id,
  at: new Date(now),
  presentedFrom: client,
  lastRefreshedFrom: { userAgent: session.lastUserAgent, ipAddress: session.lastIpAddress },
})
