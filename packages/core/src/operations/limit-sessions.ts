import type { SessionRecord } from '../ports/session-storage.js'
import type { UserId } from '../ports/user-directory.js'
import { endSession } from './end-session.js'
import type { ServiceContext } from './service-context.js'

// A lower limit than before leaves many surplus sessions: the next logins end them, each only so many.
const mostEnded = 100
const mostConcurrent = 10

/**
 * Ends a user's active sessions beyond the limit, the longest unused first. Concurrent logins see the same order, so that they end
 * the same sessions.
 */
export const limitSessions = async (context: ServiceContext, userId: UserId): Promise<void> => {
  const { maxSessionsPerUser } = context.policy
  const now = context.system.now()
  const active = await context.storage.listActive(userId, { now, limit: maxSessionsPerUser + mostEnded })
  const surplus = active.toSorted(byLastUse).slice(maxSessionsPerUser)
  for (let start = 0; start < surplus.length; start += mostConcurrent) {
    const batch = surplus.slice(start, start + mostConcurrent)
    await Promise.all(batch.map((old) => endSession(context, old, { at: now, reason: 'session_limit' })))
  }
}

// Newest use first; the id decides between two of one millisecond.
const byLastUse = (a: SessionRecord, b: SessionRecord): number => b.lastUsedAt - a.lastUsedAt || (a.id < b.id ? -1 : 1)
