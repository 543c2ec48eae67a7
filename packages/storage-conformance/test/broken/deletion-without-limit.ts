import type { SessionStorage } from '@jwt-auth/core'

/** Deletes all that is over at once. */
export const deletionWithoutLimit = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  deleteOver: (overBefore, _limit, options) => storage.deleteOver(overBefore, Number.MAX_SAFE_INTEGER, options),
})
