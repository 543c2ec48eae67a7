import type { SessionStorage } from '@jwt-auth/core'

/** Forgets to look at how many rows the swap wrote. */
export const rotateAlwaysRotated = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  rotate: async (rotation, options) => {
    await storage.rotate(rotation, options)
    return 'rotated'
  },
})
