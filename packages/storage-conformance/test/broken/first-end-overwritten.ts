import type { SessionEnd, SessionStorage } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Overwrites the time and reason of the first end. */
export const firstEndOverwritten = (storage: SessionStorage): SessionStorage => {
  const latest = new Map<string, SessionEnd>()
  return {
    ...changeReads(storage, (session) => ({ ...session, ...latest.get(session.id) })),
    end: async (sessionId, ending, options) => {
      const outcome = await storage.end(sessionId, ending, options)
      latest.set(sessionId, { ...ending })
      return outcome
    },
  }
}
