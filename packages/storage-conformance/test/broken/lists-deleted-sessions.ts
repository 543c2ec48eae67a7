import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'

/** Lists an ended session, with a copy that outlives its deletion. */
export const listsDeletedSessions = (storage: SessionStorage): SessionStorage => {
  const ended = new Map<string, SessionRecord>()
  return {
    ...storage,
    end: async (sessionId, ending, options) => {
      const outcome = await storage.end(sessionId, ending, options)
      const session = await findRecord(storage, sessionId, options).catch(() => undefined)
      if (session !== undefined) ended.set(sessionId, session)
      return outcome
    },
    list: async (user, filter, options) => {
      const listed = await storage.list(user, filter, options)
      if (filter.activeAt !== undefined || listed.length >= filter.limit) return listed
      const ids = new Set(listed.map(({ id }) => id))
      return [...listed, ...[...ended.values()].filter(({ id, userId }) => !ids.has(id) && userId === user.userId)]
    },
  }
}
