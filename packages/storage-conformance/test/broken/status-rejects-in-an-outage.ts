import type { SessionStorage } from '@jwt-auth/core'
import { toStorageStatus } from '@jwt-auth/core/adapter'

/** Rejects `status` when the backend fails, so that a health check throws instead of reporting the failure. */
export const statusRejectsInAnOutage = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  status: async () => {
    await storage.findBySelectorHash('any')
    return toStorageStatus({ schemaVersion: 1, oldestCompatible: 1 }, 1)
  },
})
