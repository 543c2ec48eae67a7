import type { SessionStorage } from '@jwt-auth/core'
import { toStorageStatus } from '@jwt-auth/core/adapter'

/** Reports `isReady` before its migration ran. */
export const reportsReadyWithoutItsMigration = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  status: async () => ({ ...toStorageStatus({ schemaVersion: 0, oldestCompatible: 0 }, 1), isReady: true }),
})
