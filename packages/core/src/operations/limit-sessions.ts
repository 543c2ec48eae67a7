import type { SessionRecord } from '../ports/session-storage.js'
import type { UserId } from '../ports/user-directory.js'
import { endSession } from './end-session.js'
import type { ServiceParts } from './service-parts.js'

/**
 * Ends a user's live sessions beyond the host's limit, the longest unused first. Logins at the same moment see the same
 * order, so that they end the same ones.
 */
export const limitSessions = async (parts: ServiceParts, userId: UserId): Promise<void> => {
  const limit = parts.policy.maxSessionsPerUser
  if (limit === undefined) return
  const now = parts.system.now()
  const live = await parts.storage.listActive(userId, { now, limit: limit + 1_000 })
  const surplus = live.toSorted(byLastUse).slice(limit)
  await Promise.all(surplus.map((old) => endSession(parts, old, { at: now, reason: 'session_limit' })))
}

// Newest use first; the id decides between two of one millisecond.
const byLastUse = (a: SessionRecord, b: SessionRecord): number => b.lastUsedAt - a.lastUsedAt || (a.id < b.id ? -1 : 1)
