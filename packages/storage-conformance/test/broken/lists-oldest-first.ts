import type { SessionStorage } from '@jwt-auth/core'

/** Lists the oldest sessions first. */
export const listsOldestFirst = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: async (user, list, options) => (await storage.list(user, list, options)).toReversed(),
})
