import type { SessionStorage } from '@jwt-auth/core'

/** Lists 256 sessions at most. */
export const cutsLongLists = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: (user, { activeAt, limit }, options) => storage.list(user, { activeAt, limit: Math.min(limit, 256) }, options),
})
