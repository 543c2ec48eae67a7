import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'

/** Counts the sessions of a user, and ends them later. */
export const countsBeforeItEnds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  endAllForUser: async (user, ending, options) => {
    const active = await storage.list(user, { activeAt: 0, limit: 1_000 }, options)
    await setImmediate()
    await storage.endAllForUser(user, ending, options)
    return active.length
  },
})
