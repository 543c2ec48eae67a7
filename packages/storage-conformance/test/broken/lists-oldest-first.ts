import type { SessionStorage } from '@jwt-auth/core'

/** Lists the oldest sessions first. */
export const listsOldestFirst = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: async (user, list, options) => (await storage.listActive(user, list, options)).toReversed(),
})
