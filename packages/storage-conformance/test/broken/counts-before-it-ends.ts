import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'

/** Counts a user's sessions first, and ends them a moment later. */
export const countsBeforeItEnds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  endAllForUser: async (user, ending, options) => {
    const live = await storage.listActive(user, { now: 0, limit: 1_000 }, options)
    await setImmediate()
    await storage.endAllForUser(user, ending, options)
    return live.length
  },
})
