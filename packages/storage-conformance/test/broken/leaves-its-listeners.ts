import type { SessionStorage } from '@jwt-auth/core'

/** Listens to the caller's deadline, and goes on listening after the answer. */
export const leavesItsListeners = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: (sessionId, ending, options) => {
    options?.signal?.addEventListener('abort', () => {})
    return storage.end(sessionId, ending, options)
  },
})
