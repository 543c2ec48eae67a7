import type { FoundSession, SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Returns a storage whose lookups and lists resolve to changed records, and omit records that `change` turns into `undefined`. */
export const changeReads = (
  storage: SessionStorage,
  change: (session: SessionRecord) => SessionRecord | undefined,
): SessionStorage => {
  const changeOne = (session: FoundSession) => ('error' in session ? session : change(session))
  const changeAll = (sessions: readonly FoundSession[]) => sessions.flatMap((session) => changeOne(session) ?? [])
  return {
    ...storage,
    findByIds: async (ids, options) => changeAll(await storage.findByIds(ids, options)),
    findBySelectorHash: async (selectorHash, options) => {
      const found = await storage.findBySelectorHash(selectorHash, options)
      return found && changeOne(found)
    },
    list: async (user, list, options) => changeAll(await storage.list(user, list, options)),
  }
}
