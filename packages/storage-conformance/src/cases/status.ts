import assert from 'node:assert/strict'
import { toStorageStatus } from '@jwt-auth/core'
import { casesOf } from '../conformance-case.js'

/** What the port promises about `status`, which a storage may lack. */
export const statusCases = casesOf('status', [
  {
    title: 'resolves to a status that its versions explain, where it has a status',
    run: async (storage) => {
      const status = await storage.status?.()
      if (status === undefined) return
      assert(status.isReachable, 'a storage that answers is reachable')
      assert.deepEqual(status, toStorageStatus(status, status.knownVersion))
    },
  },
])
