import { AuthError } from '../errors/auth-error.js'
import type { RefreshTokenReuse } from '../events/auth-event.js'
import { toNetwork } from '../network.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { ClientInfo } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { endSession } from './end-session.js'
import type { ServiceContext } from './service-context.js'

/** A session, and when and from where one of its refresh tokens was presented. */
export interface TokenUse {
  readonly session: SessionRecord
  readonly now: EpochMs
  /** What the session keeps about the device. */
  readonly client: ClientInfo
  /** The address of the client. */
  readonly address: string | undefined
}

/** Creates the error of an invalid refresh token. */
export const invalidRefreshToken = (): AuthError => new AuthError('jwt_auth_invalid_refresh_token')

/** Ends the session of a replayed token. */
export const endReplayed = async (context: ServiceContext, use: TokenUse): Promise<void> => {
  const { session, now, address } = use
  const ending = { at: now, reason: 'refresh_token_replayed', ipAddress: address } as const
  const outcome = await endSession(context, session, ending)
  if (outcome === 'ended') context.emit({ type: 'refresh_token_replayed', ...describeReuse(use) })
}

/** Ends the session of a repeat from another network, if the service is configured so. */
export const checkRepeat = async (context: ServiceContext, use: TokenUse): Promise<void> => {
  if (!context.policy.endSessionOnRepeatFromOtherNetwork || !isFromOtherNetwork(use)) return
  announceRepeat(context, use)
  await endSession(context, use.session, { at: use.now, reason: 'refresh_token_repeated', ipAddress: use.address })
  throw invalidRefreshToken()
}

/** Emits the event of a repeat within the grace window, unless the session has caused too many. */
export const announceRepeat = (context: ServiceContext, use: TokenUse): void => {
  const kind = isFromOtherNetwork(use) ? 'other_network' : 'same_network'
  const count = context.countReuse(use.session.id, kind, use.now)
  if (count !== undefined) context.emit({ type: 'refresh_token_repeated', count, ...describeReuse(use) })
}

// An unknown address is not another network.
const isFromOtherNetwork = ({ session: { lastIpAddress }, client: { ipAddress } }: TokenUse): boolean =>
  lastIpAddress !== null && ipAddress !== null && toNetwork(lastIpAddress) !== toNetwork(ipAddress)

/** Describes where a refresh token was presented, and where the last refresh came from. */
export const describeReuse = ({ session, client, now }: TokenUse): RefreshTokenReuse => ({
  userId: session.userId,
  sessionId: session.id,
  at: new Date(now),
  presentedFrom: client,
  lastRefreshedFrom: { userAgent: session.lastUserAgent, ipAddress: session.lastIpAddress },
})
