import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'

/** Writes the later of the stored idle expiry and the new idle expiry. */
export const idleExpiryOnlyMovesForward = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    const found = await findRecord(storage, rotation.sessionId, options)
    const idleExpiresAt = Math.max(found?.idleExpiresAt ?? 0, rotation.idleExpiresAt)
    return storage.rotate({ ...rotation, idleExpiresAt }, options)
  },
})
