import type { SessionStorage } from '@jwt-auth/core'

/** Stores text in a column that is too short, and cuts it off. */
export const truncatesLongText = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  create: (session, options) =>
    storage.create({ ...session, userAgent: session.userAgent?.slice(0, 255) ?? null }, options),
})
