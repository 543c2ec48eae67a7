import assert from 'node:assert/strict'
import { toStorageStatus } from '@jwt-auth/core/adapter'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { assertLeavesNoListener, assertRejectsWithoutBoundText, portCalls } from '../port-calls.js'

/** The requirements of `status`, which is optional. */
export const statusCases = requirementsOf('status', {
  'status, if it exists, resolves to a result that agrees with its schema versions': async (storage) => {
    const status = await storage.status?.()
    if (status === undefined) return
    assert(status.isReachable, 'isReachable must be true for a storage that responds')
    assert.deepEqual(status, toStorageStatus(status, status.knownVersion))
    assert.deepEqual(await storage.status?.(), status, 'a second status on the same server must be equal')
  },
})

/** The requirements for failures of the backend, on a storage whose backend fails every call. */
export const failureCases = requirementsOf('failures', {
  // A result such as `undefined`, `[]` or `stale` would say that there is no such session.
  ...checksOf(
    portCalls,
    (call) => (storage) => assertRejectsWithoutBoundText(() => call(storage)),
    (method) => `${method} rejects, with no bound value in the error, when the backend fails`,
  ),
  'status, if it exists, resolves to unreachable when the backend fails, and never rejects': async (storage) => {
    assert.notEqual((await storage.status?.())?.isReachable, true)
  },
  'no method leaves a listener on the signal of a call that the backend fails': async (storage) => {
    for (const [name, call] of Object.entries(portCalls)) await assertLeavesNoListener(name, call, storage)
  },
})
