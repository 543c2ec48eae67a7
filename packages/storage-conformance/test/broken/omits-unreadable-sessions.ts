import type { SessionStorage } from '@jwt-auth/core'

/** Omits an unreadable session from the result of a batch. */
export const omitsUnreadableSessions = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => {
    try {
      return await storage.findByIds(ids, options)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      const found = await Promise.allSettled(ids.map(async (id) => storage.findByIds([id], options)))
      return found.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    }
  },
})
