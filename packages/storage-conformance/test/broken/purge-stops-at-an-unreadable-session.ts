import type { SessionStorage } from '@jwt-auth/core'

/** Looks the sessions up before it deletes any. Rejects if one of them cannot be read. */
export const purgeStopsAtAnUnreadableSession = (storage: SessionStorage): SessionStorage => {
  const ids: string[] = []
  return {
    ...storage,
    create: async (session, options) => {
      await storage.create(session, options)
      ids.push(session.id)
    },
    deleteExpired: async (expiredBefore, limit, options) => {
      for (const found of await storage.findByIds(ids, options)) if ('error' in found) throw found.error
      return storage.deleteExpired(expiredBefore, limit, options)
    },
  }
}
