import type { SessionStorage } from '@jwt-auth/core'

/** Adds a listener to the signal and never removes it. */
export const leavesItsListeners = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: (sessionId, ending, options) => {
    options?.signal?.addEventListener('abort', () => {})
    return storage.end(sessionId, ending, options)
  },
})
