import type { SessionRecord } from '../ports/session-storage.js'
import type { UserId } from '../ports/user-directory.js'
import { isLive, toCredentialVersion } from '../session/session-record.js'
import { retryWhileStale } from './retry-while-stale.js'
import type { ServiceParts } from './service-parts.js'

/**
 * Carries the one session that a `revokeAll` spares over to the user's present credential version: otherwise the password
 * change that ended the others would end it too, at its next refresh (docs/decisions/0008).
 */
export const keepSession = async (parts: ServiceParts, userId: UserId, sessionId: string): Promise<void> => {
  await retryWhileStale(async () => {
    const session = await parts.findSession(sessionId)
    if (session === undefined || session.userId !== userId || !isLive(session, parts.system.now())) return 'done'
    return adoptVersion(parts, session)
  })
}

const adoptVersion = async (parts: ServiceParts, session: SessionRecord): Promise<'done' | 'stale'> => {
  const user = await parts.users.findById(session.userId)
  if (user === undefined) return 'done'
  const credentialVersion = toCredentialVersion(user)
  if (credentialVersion === session.credentialVersion) return 'done'
  const outcome = await parts.storage.rotate({
    sessionId: session.id,
    expectedVerifierHash: session.verifierHash,
    verifierHash: session.verifierHash,
    recentVerifiers: session.recentVerifiers,
    rotatedAt: session.rotatedAt,
    lastUsedAt: session.lastUsedAt,
    idleExpiresAt: session.idleExpiresAt,
    credentialVersion,
  })
  return outcome === 'rotated' ? 'done' : 'stale'
}
