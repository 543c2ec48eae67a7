import type { SessionStorage } from '@jwt-auth/core'

/** Lists in the order of creation. */
export const listsOldestFirst = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listLive: async (userId, now, options) => (await storage.listLive(userId, now, options)).toReversed(),
})
