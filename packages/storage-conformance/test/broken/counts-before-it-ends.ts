import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'

/** Counts a user's sessions first, and ends them a moment later. */
export const countsBeforeItEnds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  endAllForUser: async (userId, ending, options) => {
    const live = await storage.listActive(userId, 0, options)
    await setImmediate()
    await storage.endAllForUser(userId, ending, options)
    return live.length
  },
})
