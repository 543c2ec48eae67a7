import type { SessionStorage } from '@jwt-auth/core'

/** Ends at most 1,000 sessions of a user. */
export const endsTheFirstThousand = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  endAllForUser: async (user, ending, options) => {
    const found = await storage.list(user, { limit: 1_000 }, options)
    if (found.length < 1_000) return storage.endAllForUser(user, ending, options)
    const ends = await Promise.all(found.map(({ id }) => storage.end(id, ending, options)))
    return ends.filter(({ outcome }) => outcome === 'ended').length
  },
})
