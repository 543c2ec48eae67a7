import type { FoundSession, SessionStorage } from '@jwt-auth/core'

/** Resolves to a list that contains `undefined` for missing ids. */
export const batchContainsUndefinedForMissing = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: async (ids, options) => {
    const found = await storage.findByIds(ids, options)
    const result: FoundSession[] = []
    result.length = ids.length
    for (const session of found) result[ids.indexOf(session.id)] = session
    return result
  },
})
