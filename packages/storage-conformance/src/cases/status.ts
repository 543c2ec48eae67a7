import assert from 'node:assert/strict'
import { toStorageStatus } from '@jwt-auth/core/adapter'
import { casesOf } from '../conformance-case.js'

/** The requirements of `status`, which is optional. */
export const statusCases = casesOf('status', [
  {
    title: 'status, if it exists, resolves to a result that agrees with its schema versions',
    run: async (storage) => {
      const status = await storage.status?.()
      if (status === undefined) return
      assert(status.isReachable, 'isReachable must be true for a storage that responds')
      assert.deepEqual(status, toStorageStatus(status, status.knownVersion))
    },
  },
])
