import type { SessionStorage } from '@jwt-auth/core'

/** Lists all sessions of a user. */
export const listsBeyondTheLimit = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: (user, { now }, options) => storage.listActive(user, { now, limit: 1_000 }, options),
})
