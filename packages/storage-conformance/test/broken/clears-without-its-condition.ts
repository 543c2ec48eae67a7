import type { SessionStorage } from '@jwt-auth/core'

/** Clears the recent verifiers of sessions that rotated after the instant too. */
export const clearsWithoutItsCondition = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  clearRecentVerifiers: (_rotatedBefore, limit, options) =>
    storage.clearRecentVerifiers(Number.MAX_SAFE_INTEGER, limit, options),
})
