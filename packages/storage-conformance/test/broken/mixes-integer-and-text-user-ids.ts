import type { SessionStorage } from '@jwt-auth/core'

/** Looks user ids up as text. */
export const mixesIntegerAndTextUserIds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: async (userId, now, options) => [
    ...(await storage.listActive(String(userId), now, options)),
    ...(await storage.listActive(Number(userId), now, options)),
  ],
})
