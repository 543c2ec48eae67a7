import type { SessionStorage } from '@jwt-auth/core'

/** Deletes all expired sessions in one call. */
export const deletionWithoutLimit = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  deleteExpired: (expiredBefore, _limit, options) =>
    storage.deleteExpired(expiredBefore, Number.MAX_SAFE_INTEGER, options),
})
