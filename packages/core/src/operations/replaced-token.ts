import { AuthError } from '../errors/auth-error.js'
import type { RefreshTokenSighting } from '../events/auth-event.js'
import { toNetwork } from '../network.js'
import type { SessionRecord } from '../ports/session-storage.js'
import { type RefreshToken, toHash } from '../session/refresh-token.js'
import type { Place } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { endSession } from './end-session.js'
import { mostRepeats } from './refresh-watch.js'
import type { ServiceContext } from './service-context.js'

/** A session, and the address and user agent from which one of its replaced tokens was presented. */
interface Sighting {
  readonly session: SessionRecord
  readonly place: Place
  /** The address of the client. */
  readonly address: string | undefined
}

/** Creates the error of an invalid refresh token. */
export const refused = (): AuthError => new AuthError('jwt_auth_invalid_refresh_token')

/** Ends the session of a replayed token. */
export const endReplayed = async (context: ServiceContext, sighting: Sighting, now: EpochMs): Promise<void> => {
  const outcome = await endSession(context, sighting.session, {
    at: now,
    reason: 'refresh_token_replayed',
    ipAddress: sighting.address,
  })
  if (outcome === 'ended') context.emit({ type: 'refresh_token_replayed', ...describe(sighting, now) })
}

/**
 * Counts a repeat within the grace window.
 *
 * @throws AuthError if there were too many repeats, or if the repeat ends the session
 */
export const checkRepeat = async (
  context: ServiceContext,
  { token, ...sighting }: Sighting & { readonly token: RefreshToken },
  now: EpochMs,
): Promise<void> => {
  const { session, place } = sighting
  const count = context.countRepeat(toHash(token.verifier))
  // The first repeat beyond the limit emits an event too. Later ones do not, so that there is no flood of events.
  if (count <= mostRepeats + 1) {
    context.emit({ type: 'refresh_token_repeated', count, ...describe(sighting, now) })
  }
  if (context.policy.endSessionOnRepeatFromOtherNetwork && isFromOtherNetwork(session, place)) {
    await endSession(context, session, { at: now, reason: 'refresh_token_repeated', ipAddress: sighting.address })
    throw refused()
  }
  if (count > mostRepeats) throw new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 1 })
}

// An unknown address is not another network.
const isFromOtherNetwork = ({ lastIpAddress }: SessionRecord, { ipAddress }: Place): boolean =>
  lastIpAddress !== null && ipAddress !== null && toNetwork(lastIpAddress) !== toNetwork(ipAddress)

const describe = ({ session, place }: Omit<Sighting, 'address'>, now: EpochMs): RefreshTokenSighting => ({
  userId: session.userId,
  sessionId: session.id,
  at: new Date(now),
  presentedFrom: place,
  lastRefreshedFrom: { userAgent: session.lastUserAgent, ipAddress: session.lastIpAddress },
})
