import { type SessionStorage, toStorageStatus } from '@jwt-auth/core'

/** Says that it is ready before its migration ran. */
export const saysReadyWithoutItsMigration = (storage: SessionStorage): SessionStorage => ({
  ...storage,
  status: async () => ({ ...toStorageStatus({ schemaVersion: 0, oldestCompatible: 0 }, 1), isReady: true }),
})
