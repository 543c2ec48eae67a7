import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'

/** Reads the session, and writes the rotation later without checking again. */
export const selectThenUpdateRotate = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    const found = await findRecord(storage, rotation.sessionId, options)
    if (found?.verifierHash !== rotation.expectedVerifierHash || found.endedAt !== null) return 'stale'
    await setImmediate()
    await storage.rotate(rotation, options)
    return 'rotated'
  },
})
