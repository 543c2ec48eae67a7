import type { SessionStorage } from '@jwt-auth/core'

/** Lists sessions that have not ended, expired or not. */
export const listsExpiredSessions = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: (user, { limit }, options) => storage.listActive(user, { now: 0, limit }, options),
})
