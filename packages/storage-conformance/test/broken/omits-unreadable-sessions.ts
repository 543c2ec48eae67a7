import type { SessionStorage } from '@jwt-auth/core'

/** Omits an unreadable session from the result of a batch. */
export const omitsUnreadableSessions = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => (await storage.findByIds(ids, options)).filter((session) => !('error' in session)),
})
