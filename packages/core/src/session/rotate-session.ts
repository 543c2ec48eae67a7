import type { Rotation, SessionRecord } from '../ports/session-storage.js'
import { type RefreshToken, toHash } from '../refresh-token/refresh-token.js'
import type { EpochMs } from '../system.js'
import { isWithinGrace } from './decide-refresh.js'
import type { Place } from './device.js'
import type { SessionPolicy } from './session-policy.js'

/** A client that goes through more verifiers than this within one grace window is not racing with itself. */
const mostRecentVerifiers = 8

/** The swap that replaces a session's current verifier by its successor. */
export const toRotation = (
  session: SessionRecord,
  successor: { readonly token: RefreshToken; readonly salt: Buffer; readonly place: Place },
  { now, policy }: { readonly now: EpochMs; readonly policy: SessionPolicy },
): Rotation => {
  const replaced = {
    verifierHash: session.verifierHash,
    salt: successor.salt.toString('base64url'),
    replacedAt: now,
  }
  // Cut behind the last one that is still good, never in between: from there the way leads over all the newer ones, also
  // over one that an instance with another clock replaced.
  const goodUntil = session.recentVerifiers.findLastIndex((recent) =>
    isWithinGrace(recent, now, policy.refreshGraceSeconds),
  )
  const stillGood = session.recentVerifiers.slice(0, goodUntil + 1)
  return {
    sessionId: session.id,
    expectedVerifierHash: session.verifierHash,
    verifierHash: toHash(successor.token.verifier),
    recentVerifiers: [replaced, ...stillGood].slice(0, mostRecentVerifiers),
    rotatedAt: now,
    lastUsedAt: now,
    idleExpiresAt: Math.min(now + policy.sessionIdleTimeoutSeconds * 1000, session.absoluteExpiresAt),
    lastUserAgent: successor.place.userAgent,
    lastIpAddress: successor.place.ipAddress,
  }
}

/** The session as it stands once the swap took place. */
export const rotated = (session: SessionRecord, rotation: Rotation): SessionRecord => ({
  ...session,
  verifierHash: rotation.verifierHash,
  recentVerifiers: rotation.recentVerifiers,
  rotatedAt: rotation.rotatedAt,
  lastUsedAt: rotation.lastUsedAt,
  idleExpiresAt: rotation.idleExpiresAt,
  lastUserAgent: rotation.lastUserAgent,
  lastIpAddress: rotation.lastIpAddress,
})
