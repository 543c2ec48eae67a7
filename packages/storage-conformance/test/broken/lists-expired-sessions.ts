import type { SessionStorage } from '@jwt-auth/core'

/** Lists expired sessions too. */
export const listsExpiredSessions = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: (user, { activeAt, limit }, options) =>
    storage.list(user, { activeAt: activeAt === undefined ? undefined : 0, limit }, options),
})
