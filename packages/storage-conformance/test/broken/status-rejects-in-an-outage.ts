import { type SessionStorage, toStorageStatus } from '@jwt-auth/core'

/** Rejects a status that the backend fails: a health check throws where it should say what is wrong. */
export const statusRejectsInAnOutage = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  status: async () => {
    await storage.findBySelectorHash('any')
    return toStorageStatus({ schemaVersion: 1, oldestCompatible: 1 }, 1)
  },
})
