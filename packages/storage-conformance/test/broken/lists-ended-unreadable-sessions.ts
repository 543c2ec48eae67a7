import type { SessionStorage } from '@jwt-auth/core'

/** Lists every unreadable session at an instant, also one that has ended. */
export const listsEndedUnreadableSessions = (storage: SessionStorage): SessionStorage => {
  const ids: string[] = []
  return {
    ...storage,
    create: async (session, options) => {
      await storage.create(session, options)
      ids.push(session.id)
    },
    list: async (user, list, options) => {
      const listed = await storage.list(user, list, options)
      const others = ids.filter((id) => !listed.some((session) => session.id === id))
      const found = await storage.findByIds(others, options)
      return [...listed, ...found.filter((session) => 'error' in session)]
    },
  }
}
