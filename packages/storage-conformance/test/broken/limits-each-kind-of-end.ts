import type { SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Deletes as many as the limit of those that ended, of those that were idle, and of those that reached their absolute expiry. */
export const limitsEachKindOfEnd = (storage: SessionStorage): SessionStorage => {
  const known = new Set<string>()
  return {
    ...storage,
    create: async (session, options) => {
      await storage.create(session, options)
      known.add(session.id)
    },
    deleteExpired: async (expiredBefore, limit, options) => {
      const found = await storage.findByIds([...known], options)
      const counts = instants.map((instantOf) => found.filter((each) => instantOf(each) <= expiredBefore).length)
      const most = counts.reduce((sum, count) => sum + Math.min(count, limit), 0)
      return storage.deleteExpired(expiredBefore, Math.max(most, 1), options)
    },
  }
}

const instants: readonly ((session: SessionRecord) => number)[] = [
  ({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY,
  ({ idleExpiresAt }) => idleExpiresAt,
  ({ absoluteExpiresAt }) => absoluteExpiresAt,
]
