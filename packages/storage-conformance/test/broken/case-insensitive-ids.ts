import type { SessionStorage } from '@jwt-auth/core'

/** Looks up ids in a case-insensitive column. */
export const caseInsensitiveIds = (storage: SessionStorage): SessionStorage => {
  const known: string[] = []
  const findKnown = (id: string) => known.filter((each) => each.toLowerCase() === id.toLowerCase())
  return {
    ...storage,
    create: async (session, options) => {
      await storage.create(session, options)
      known.push(session.id)
    },
    findByIds: (ids, options) => storage.findByIds(ids.flatMap(findKnown), options),
  }
}
