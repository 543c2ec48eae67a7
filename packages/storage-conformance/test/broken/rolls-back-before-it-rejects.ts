import type { SessionStorage } from '@jwt-auth/core'

/** Waits for the backend once more before it tells the caller that the deadline is over. */
export const rollsBackBeforeItRejects = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: async (sessionId, ending, options) => {
    try {
      return await storage.end(sessionId, ending, options)
    } catch (error) {
      await storage.findByIds([])
      throw error
    }
  },
})
