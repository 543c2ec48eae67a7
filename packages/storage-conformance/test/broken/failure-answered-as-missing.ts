import type { SessionStorage } from '@jwt-auth/core'

/** Answers a failed lookup as if nothing had been found. */
export const failureAnsweredAsMissing = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: (ids, options) => storage.findByIds(ids, options).catch(() => []),
  findBySelectorHash: (selectorHash, options) =>
    storage.findBySelectorHash(selectorHash, options).catch(() => undefined),
})
