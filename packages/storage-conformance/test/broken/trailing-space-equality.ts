import type { SessionStorage } from '@jwt-auth/core'

/** Looks ids up in a column that pads with spaces. */
export const trailingSpaceEquality = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  findByIds: (ids, options) =>
    storage.findByIds(
      ids.map((id) => id.trimEnd()),
      options,
    ),
})
