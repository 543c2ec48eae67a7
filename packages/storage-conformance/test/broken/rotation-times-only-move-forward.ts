import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'

/** Writes the later of the stored and the new time of a rotation. */
export const rotationTimesOnlyMoveForward = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    const found = await findRecord(storage, rotation.sessionId, options)
    const rotatedAt = Math.max(found?.rotatedAt ?? 0, rotation.rotatedAt)
    const lastUsedAt = Math.max(found?.lastUsedAt ?? 0, rotation.lastUsedAt)
    return storage.rotate({ ...rotation, rotatedAt, lastUsedAt }, options)
  },
})
