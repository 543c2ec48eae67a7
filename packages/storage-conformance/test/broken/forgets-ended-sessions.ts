import type { SessionStorage } from '@jwt-auth/core'

/** Lists no session that `endAllForUser` ended. */
export const forgetsEndedSessions = (storage: SessionStorage): SessionStorage => {
  const forgotten = new Set<string>()
  return {
    ...storage,
    endAllForUser: async (user, ending, options) => {
      for (const { id } of await storage.list(user, { activeAt: 0, limit: 10_000 }, options)) forgotten.add(id)
      return storage.endAllForUser(user, ending, options)
    },
    list: async (user, filter, options) =>
      (await storage.list(user, filter, options)).filter(({ id }) => !forgotten.has(id)),
  }
}
