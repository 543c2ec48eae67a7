import type { SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Answers a batch lookup from what it read before, as a lagging replica does. */
export const staleSnapshotReads = (storage: SessionStorage): SessionStorage => {
  const snapshots = new Map<string, readonly SessionRecord[]>()
  return {
    ...storage,
    findByIds: async (ids, options) => {
      const found = snapshots.get(ids.join()) ?? (await storage.findByIds(ids, options))
      snapshots.set(ids.join(), found)
      return found
    },
  }
}
