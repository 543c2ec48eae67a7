import type { SessionStorage } from '@jwt-auth/core'

/** Lists in the order of creation. */
export const listsOldestFirst = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: async (user, list, options) => (await storage.listActive(user, list, options)).toReversed(),
})
