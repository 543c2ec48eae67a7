import type { FoundSession, SessionStorage } from '@jwt-auth/core'

/** Resolves a batch lookup to an earlier result, like a replica with lag. */
export const staleSnapshotReads = (storage: SessionStorage): SessionStorage => {
  const snapshots = new Map<string, readonly FoundSession[]>()
  return {
    ...storage,
    findByIds: async (ids, options) => {
      const found = snapshots.get(ids.join()) ?? (await storage.findByIds(ids, options))
      snapshots.set(ids.join(), found)
      return found
    },
  }
}
