import type { CallOptions, SessionStorage } from '@jwt-auth/core'

/** Replaces a call. `send` makes the original call, with the options that it receives. */
export type WrapCall = <T>(send: (options?: CallOptions) => Promise<T>, options: CallOptions | undefined) => Promise<T>

/** Returns a storage that makes every call through `wrap`. */
export const wrapCalls = (storage: SessionStorage, wrap: WrapCall): SessionStorage => ({
  create: (session, options) => wrap((given) => storage.create(session, given), options),
  findByIds: (ids, options) => wrap(async (given) => storage.findByIds(ids, given), options),
  findBySelectorHash: (hash, options) => wrap((given) => storage.findBySelectorHash(hash, given), options),
  rotate: (rotation, options) => wrap((given) => storage.rotate(rotation, given), options),
  end: (sessionId, ending, options) => wrap((given) => storage.end(sessionId, ending, given), options),
  endAllForUser: (user, ending, options) => wrap((given) => storage.endAllForUser(user, ending, given), options),
  list: (user, list, options) => wrap((given) => storage.list(user, list, given), options),
  endCreatedBefore: (created, ending, options) =>
    wrap((given) => storage.endCreatedBefore(created, ending, given), options),
  clearRecentVerifiers: (before, limit, options) =>
    wrap((given) => storage.clearRecentVerifiers(before, limit, given), options),
  deleteExpired: (before, limit, options) => wrap((given) => storage.deleteExpired(before, limit, given), options),
})
