import type { SessionStorage } from '@jwt-auth/core'

/** Writes the session id into the message of an error. */
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
