import type { Rotation, SessionRecord } from '../ports/session-storage.js'
import { hashOf, type RefreshToken } from '../refresh-token/refresh-token.js'
import type { EpochMilliseconds } from '../system.js'
import { isWithinGrace } from './decide-refresh.js'
import type { SessionPolicy } from './session-policy.js'

/** A client that goes through more verifiers than this within one grace window is not racing with itself. */
const mostRecentVerifiers = 8

/** The swap that replaces a session's current verifier by its successor. */
export const toRotation = (
  session: SessionRecord,
  successor: { readonly token: RefreshToken; readonly salt: Buffer },
  { now, policy }: { readonly now: EpochMilliseconds; readonly policy: SessionPolicy },
): Rotation => {
  const replaced = {
    verifierHash: session.verifierHash,
    salt: successor.salt.toString('base64url'),
    replacedAt: now,
  }
  const stillGood = session.recentVerifiers.filter((recent) => isWithinGrace(recent, now, policy.refreshGraceSeconds))
  return {
    sessionId: session.id,
    expectedVerifierHash: session.verifierHash,
    verifierHash: hashOf(successor.token.verifier),
    recentVerifiers: [replaced, ...stillGood].slice(0, mostRecentVerifiers),
    rotatedAt: now,
    lastUsedAt: now,
    idleExpiresAt: Math.min(now + policy.sessionIdleSeconds * 1000, session.absoluteExpiresAt),
    credentialVersion: session.credentialVersion,
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
  credentialVersion: rotation.credentialVersion,
})
