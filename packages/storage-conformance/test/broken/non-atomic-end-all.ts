import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Ends all of a user's sessions, and then puts the one excepted back. */
export const nonAtomicEndAll = (storage: SessionStorage): SessionStorage => {
  const underWay = new Set<string | undefined>()
  return {
    ...changeReads(storage, (session) =>
      underWay.has(session.id) ? { ...session, endedAt: 1, endReason: 'revoked' } : session,
    ),
    endAllForUser: async (userId, ending, options) => {
      underWay.add(options?.exceptSessionId)
      await setImmediate()
      underWay.delete(options?.exceptSessionId)
      return storage.endAllForUser(userId, ending, options)
    },
  }
}
