import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'

/** Reads whether the session has ended, and ends it later without checking again. */
export const selectThenUpdateEnd = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  end: async (sessionId, ending, options) => {
    const found = await findRecord(storage, sessionId, options)
    if (found?.endedAt !== null) return storage.end(sessionId, ending, options)
    await setImmediate()
    await storage.end(sessionId, ending, options)
    return { outcome: 'ended' }
  },
})
