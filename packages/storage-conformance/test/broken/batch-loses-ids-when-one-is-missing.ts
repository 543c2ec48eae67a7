import type { SessionStorage } from '@jwt-auth/core'

/** Answers a batch with nothing when one of its ids is missing. */
export const batchLosesIdsWhenOneIsMissing = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => {
    const found = await storage.findByIds(ids, options)
    return found.length < ids.length ? [] : found
  },
})
