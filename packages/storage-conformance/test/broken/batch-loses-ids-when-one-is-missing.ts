import type { SessionStorage } from '@jwt-auth/core'

/** Resolves to an empty list when one of the ids is missing. */
export const batchLosesIdsWhenOneIsMissing = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => {
    const found = await storage.findByIds(ids, options)
    return found.length < ids.length ? [] : found
  },
})
