import type { SessionStorage } from '@jwt-auth/core'

/** Names the session in the message of a failure. */
export const namesTheSessionThatFailed = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: async (sessionId, ending, options) => {
    try {
      return await storage.end(sessionId, ending, options)
    } catch (cause) {
      throw new Error(`could not end session ${sessionId}`, { cause })
    }
  },
})
