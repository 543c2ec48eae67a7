import type { SessionStorage } from '@jwt-auth/core'

/** Removes its listener from the signal when the call succeeds, and keeps it when the call rejects. */
export const leavesListenersOfFailedCalls = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: async (sessionId, ending, options) => {
    const listen = () => {}
    options?.signal?.addEventListener('abort', listen)
    const outcome = await storage.end(sessionId, ending, options)
    options?.signal?.removeEventListener('abort', listen)
    return outcome
  },
})
