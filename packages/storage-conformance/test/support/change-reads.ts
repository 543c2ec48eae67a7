import type { SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Returns a storage whose lookups and lists resolve to changed records, and omit records that `change` turns into `undefined`. */
export const changeReads = (
  storage: SessionStorage,
  change: (session: SessionRecord) => SessionRecord | undefined,
): SessionStorage => {
  const changeAll = (sessions: readonly SessionRecord[]) => sessions.flatMap((session) => change(session) ?? [])
  return {
    ...storage,
    findByIds: async (ids, options) => changeAll(await storage.findByIds(ids, options)),
    findBySelectorHash: async (selectorHash, options) => {
      const found = await storage.findBySelectorHash(selectorHash, options)
      return found && change(found)
    },
    list: async (user, list, options) => {
      const listed = await storage.list(user, list, options)
      return listed.flatMap((session) => ('error' in session ? session : (change(session) ?? [])))
    },
  }
}
