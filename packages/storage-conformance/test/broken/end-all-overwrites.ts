import type { SessionEnd, SessionStorage, UserId } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Overwrites the time and reason of sessions that ended before `endAllForUser`. */
export const endAllOverwrites = (storage: SessionStorage): SessionStorage => {
  const latest = new Map<UserId, SessionEnd>()
  return {
    ...changeReads(storage, (session) =>
      session.endedAt === null ? session : { ...session, ...latest.get(session.userId) },
    ),
    endAllForUser: async (user, ending, options) => {
      const count = await storage.endAllForUser(user, ending, options)
      latest.set(user.userId, { ...ending })
      return count
    },
  }
}
