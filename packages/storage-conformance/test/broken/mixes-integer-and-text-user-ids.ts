import type { SessionStorage } from '@jwt-auth/core'

/** Looks user ids up as text. */
export const mixesIntegerAndTextUserIds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: async (user, list, options) => [
    ...(await storage.listActive({ ...user, userId: String(user.userId) }, list, options)),
    ...(await storage.listActive({ ...user, userId: Number(user.userId) }, list, options)),
  ],
})
