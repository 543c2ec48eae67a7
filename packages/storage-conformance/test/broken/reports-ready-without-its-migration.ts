import { type SessionStorage, toStorageStatus } from '@jwt-auth/core'

/** Reports `isReady` before its migration ran. */
export const reportsReadyWithoutItsMigration = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  status: async () => ({ ...toStorageStatus({ schemaVersion: 0, oldestCompatible: 0 }, 1), isReady: true }),
})
