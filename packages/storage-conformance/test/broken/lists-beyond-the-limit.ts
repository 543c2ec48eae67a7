import type { SessionStorage } from '@jwt-auth/core'

/** Ignores the limit of a list. */
export const listsBeyondTheLimit = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: (user, { activeAt }, options) => storage.list(user, { activeAt, limit: 1_000 }, options),
})
