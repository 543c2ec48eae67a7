import type { SessionStorage } from '@jwt-auth/core'

/** Ignores the limit of a list. */
export const listsBeyondTheLimit = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  listActive: (user, { now }, options) => storage.listActive(user, { now, limit: 1_000 }, options),
})
