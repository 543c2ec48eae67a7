import type { SessionStorage } from '@jwt-auth/core'

/** Rejects a list that contains an unreadable session. */
export const listsNoUnreadableSession = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: async (user, list, options) => {
    const listed = await storage.list(user, list, options)
    for (const session of listed) if ('error' in session) throw session.error
    return listed
  },
})
