import type { SessionStorage } from '@jwt-auth/core'

/** Looks up the sessions of a user before it ends them. Rejects if one of them cannot be read. */
export const readsAllBeforeItEnds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  endAllForUser: async (user, ending, options) => {
    const listed = await storage.list(user, { activeAt: 0, limit: 10_000 }, options)
    for (const session of listed) if ('error' in session) throw session.error
    return storage.endAllForUser(user, ending, options)
  },
})
