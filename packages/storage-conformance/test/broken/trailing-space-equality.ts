import type { SessionStorage } from '@jwt-auth/core'

/** Looks up ids in a column that ignores trailing spaces. */
export const trailingSpaceEquality = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: (ids, options) =>
    storage.findByIds(
      ids.map((id) => id.trimEnd()),
      options,
    ),
})
