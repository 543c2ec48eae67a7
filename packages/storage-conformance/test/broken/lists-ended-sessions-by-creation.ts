import type { FoundSession, SessionStorage } from '@jwt-auth/core'

/** Sorts a list by the time of the creation, regardless of the ends. */
export const listsEndedSessionsByCreation = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  list: async (user, filter, options) => (await storage.list(user, filter, options)).toSorted(byCreation),
})

const byCreation = (a: FoundSession, b: FoundSession): number => toCreatedAt(b) - toCreatedAt(a)

const toCreatedAt = (session: FoundSession): number => ('error' in session ? 0 : session.createdAt)
