import type { SessionStorage } from '@jwt-auth/core'

/** Ignores how many rows the update changed. */
export const rotateAlwaysRotated = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    await storage.rotate(rotation, options)
    return 'rotated'
  },
})
