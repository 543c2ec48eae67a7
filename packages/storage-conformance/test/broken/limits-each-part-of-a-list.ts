import type { SessionStorage } from '@jwt-auth/core'

/** Applies the limit of a list to the ended sessions and to the others separately. */
export const limitsEachPartOfAList = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: async (user, { activeAt, limit }, options) => {
    const listed = await storage.list(user, { activeAt, limit: 10_000 }, options)
    const ended = listed.filter((session) => 'endedAt' in session && session.endedAt !== null)
    const others = listed.filter((session) => !ended.includes(session))
    return [...others.slice(0, limit), ...ended.slice(0, limit)]
  },
})
