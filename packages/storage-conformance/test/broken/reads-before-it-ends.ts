import type { SessionStorage } from '@jwt-auth/core'

/** Looks a session up before it ends the session. */
export const readsBeforeItEnds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: async (sessionId, ending, options) => {
    const [found] = await storage.findByIds([sessionId], options)
    if (found !== undefined && 'error' in found) throw found.error
    return found === undefined ? { outcome: 'not-found' } : storage.end(sessionId, ending, options)
  },
})
