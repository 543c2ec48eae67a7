import type { SessionStorage } from '@jwt-auth/core'

/** Looks user ids up as text. */
export const mixesIntegerAndTextUserIds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listLive: async (userId, now, options) => [
    ...(await storage.listLive(String(userId), now, options)),
    ...(await storage.listLive(Number(userId), now, options)),
  ],
})
