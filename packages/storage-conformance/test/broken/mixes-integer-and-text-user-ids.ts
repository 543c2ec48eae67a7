import type { SessionStorage } from '@jwt-auth/core'

/** Looks up user ids as text and as numbers. */
export const mixesIntegerAndTextUserIds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: async (user, list, options) => [
    ...(await storage.listActive({ ...user, userId: String(user.userId) }, list, options)),
    ...(await storage.listActive({ ...user, userId: Number(user.userId) }, list, options)),
  ],
})
