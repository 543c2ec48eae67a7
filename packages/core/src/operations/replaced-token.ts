import { AuthError } from '../errors/auth-error.js'
import type { RefreshTokenReuse } from '../events/auth-event.js'
import { toNetwork } from '../network.js'
import type { SessionRecord } from '../ports/session-storage.js'
import { type RefreshToken, toHash } from '../session/refresh-token.js'
import type { ClientInfo } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { endSession } from './end-session.js'
import { maxRepeats } from './refresh-watch.js'
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

/**
 * Counts a repeat within the grace window.
 *
 * @throws AuthError if there were too many repeats, or if the repeat ends the session
 */
export const checkRepeat = async (
  context: ServiceContext,
  { token, ...reuse }: TokenReuse & { readonly token: RefreshToken },
  now: EpochMs,
): Promise<void> => {
  const { session, client } = reuse
  const count = context.countRepeat(toHash(token.verifier))
  // The first repeat beyond the limit emits an event too. Later ones do not, so that there is no
  // flood of events.
  if (count <= maxRepeats + 1) {
    context.emit({ type: 'refresh_token_repeated', count, ...describeReuse(reuse, now) })
  }
  if (context.policy.endSessionOnRepeatFromOtherNetwork && isFromOtherNetwork(session, client)) {
    await endSession(context, session, { at: now, reason: 'refresh_token_repeated', ipAddress: reuse.address })
    throw invalidRefreshToken()
  }
  if (count > maxRepeats) throw new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 1 })
}

// An unknown address is not another network.
const isFromOtherNetwork = ({ lastIpAddress }: SessionRecord, { ipAddress }: ClientInfo): boolean =>
  lastIpAddress !== null && ipAddress !== null && toNetwork(lastIpAddress) !== toNetwork(ipAddress)

/** Describes where a refresh token was presented, and where the last refresh came from. */
export const describeReuse = ({ session, client }: Omit<TokenReuse, 'address'>, now: EpochMs): RefreshTokenReuse => ({
  userId: session.userId,
  sessionId: session.id,
  at: new Date(now),
  presentedFrom: client,
  lastRefreshedFrom: { userAgent: session.lastUserAgent, ipAddress: session.lastIpAddress },
})
