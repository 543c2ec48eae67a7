import type { SessionStorage } from '@jwt-auth/core'

/** Truncates text that is longer than the column. */
export const truncatesLongText = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  create: (session, options) =>
    storage.create({ ...session, userAgent: session.userAgent?.slice(0, 255) ?? null }, options),
})
