import type { SessionStorage } from '@jwt-auth/core'

/** Lists in the order of creation. */
export const listsOldestFirst = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: async (userId, now, options) => (await storage.listActive(userId, now, options)).toReversed(),
})
