import type { SessionStorage } from '@jwt-auth/core'

/** Reports a failed lookup as a missing session. */
export const failureReportedAsMissing = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => {
    try {
      return await storage.findByIds(ids, options)
    } catch {
      return []
    }
  },
  findBySelectorHash: (selectorHash, options) =>
    storage.findBySelectorHash(selectorHash, options).catch(() => undefined),
})
