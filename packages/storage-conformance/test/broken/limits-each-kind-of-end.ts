import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { findRecords } from '@jwt-auth/test-support/find-records'

/** Applies the limit to ended, idle-expired and absolutely expired sessions separately. */
export const limitsEachKindOfEnd = (storage: SessionStorage): SessionStorage => {
  const known = new Set<string>()
  return {
    ...storage,
    create: async (session, options) => {
      await storage.create(session, options)
      known.add(session.id)
    },
    deleteExpired: async (expiredBefore, limit, options) => {
      const lookups = await Promise.allSettled([...known].map(async (id) => findRecords(storage, [id], options)))
      const found = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []))
      const unreadable = lookups.filter((lookup) => lookup.status === 'rejected')
      const counts = instants.map((instantOf) => found.filter((each) => instantOf(each) <= expiredBefore).length)
      const most = counts.reduce((sum, count) => sum + Math.min(count, limit), unreadable.length)
      return storage.deleteExpired(expiredBefore, Math.max(most, 1), options)
    },
  }
}

const instants: readonly ((session: SessionRecord) => number)[] = [
  ({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY,
  ({ idleExpiresAt }) => idleExpiresAt,
  ({ absoluteExpiresAt }) => absoluteExpiresAt,
]
