import type { SessionStorage } from '@jwt-auth/core'

/** Looks up user ids as text and as numbers. */
export const mixesIntegerAndTextUserIds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: async (user, list, options) => [
    ...(await storage.list({ ...user, userId: String(user.userId) }, list, options)),
    ...(await storage.list({ ...user, userId: Number(user.userId) }, list, options)),
  ],
})
