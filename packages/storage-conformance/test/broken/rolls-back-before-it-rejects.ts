import type { SessionStorage } from '@jwt-auth/core'

/** Waits for the backend before it rejects a call whose signal aborted. */
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
