import type { SessionStorage } from '@jwt-auth/core'

/** Ignores the signal of the call. */
export const ignoresAnAbortedSignal = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: (sessionId, ending) => storage.end(sessionId, ending),
})
