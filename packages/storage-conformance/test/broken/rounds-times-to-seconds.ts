import type { SessionStorage } from '@jwt-auth/core'

/** Stores instants in a column of whole seconds. */
export const roundsTimesToSeconds = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  create: (session, options) => storage.create({ ...session, createdAt: toSeconds(session.createdAt) }, options),
})

const toSeconds = (instant: number): number => Math.floor(instant / 1000) * 1000
