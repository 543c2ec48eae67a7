import type { SessionStorage } from '@jwt-auth/core'

/** Lists 256 ended sessions at most. */
export const cutsLongListsOfEndedSessions = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: async (user, filter, options) => {
    const listed = await storage.list(user, filter, options)
    const ended = listed.filter((session) => 'endedAt' in session && session.endedAt !== null)
    return listed.filter((session) => !ended.slice(256).includes(session))
  },
})
