import type { SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Resolves a batch lookup to an earlier result, like a replica with lag. */
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
