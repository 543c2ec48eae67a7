import type { SessionStorage } from '@jwt-auth/core'

/** Deletes active sessions too. */
export const deletionIgnoresItsCondition = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  deleteExpired: (_expiredBefore, limit, options) => storage.deleteExpired(Number.MAX_SAFE_INTEGER, limit, options),
})
