import type { SessionStorage } from '@jwt-auth/core'

/** Writes the later of the stored idle expiry and the new idle expiry. */
export const idleExpiryOnlyMovesForward = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    const [found] = await storage.findByIds([rotation.sessionId], options)
    const idleExpiresAt = Math.max(found?.idleExpiresAt ?? 0, rotation.idleExpiresAt)
    return storage.rotate({ ...rotation, idleExpiresAt }, options)
  },
})
