import type { SessionStorage } from '@jwt-auth/core'

/** Lists expired sessions too. */
export const listsExpiredSessions = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: (user, { limit }, options) => storage.listActive(user, { now: 0, limit }, options),
})
