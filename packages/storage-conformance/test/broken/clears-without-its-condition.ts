import type { SessionStorage } from '@jwt-auth/core'

/** Empties the recent verifiers of sessions that rotated a moment ago. */
export const clearsWithoutItsCondition = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  clearRecentVerifiers: (_rotatedBefore, limit, options) =>
    storage.clearRecentVerifiers(Number.MAX_SAFE_INTEGER, limit, options),
})
