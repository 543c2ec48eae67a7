import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { assertRejectsWithoutBoundText } from '../error-texts.js'
import { type PortCall, portCalls } from '../port-calls.js'

const failingCase = (title: string, call: PortCall): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: (storage) => assert.rejects(async () => call(storage)),
})

/**
 * The requirements for failures of the backend. Run each case on a storage whose backend fails every call, for example on a closed
 * port or a closed pool.
 *
 * @example
 * ```ts
 * for (const { title, run } of failureCases) test(title, async () => run(await storageWhoseBackendFails()))
 * ```
 */
export const failureCases = casesOf('failures', [
  failingCase('create rejects when the backend fails', portCalls.create),
  failingCase('findByIds rejects when the backend fails, and never omits the session', portCalls.findByIds),
  failingCase(
    'findBySelectorHash rejects when the backend fails, and never resolves to undefined',
    portCalls.findBySelectorHash,
  ),
  failingCase('rotate rejects when the backend fails, and never resolves to stale', portCalls.rotate),
  failingCase('end rejects when the backend fails, and never resolves to not-found', portCalls.end),
  failingCase('endAllForUser rejects when the backend fails, and never resolves to 0', portCalls.endAllForUser),
  failingCase('list rejects when the backend fails, and never resolves to an empty list', portCalls.list),
  failingCase('endCreatedBefore rejects when the backend fails, and never resolves to 0', portCalls.endCreatedBefore),
  failingCase(
    'clearRecentVerifiers rejects when the backend fails, and never resolves to 0',
    portCalls.clearRecentVerifiers,
  ),
  failingCase('deleteExpired rejects when the backend fails, and never resolves to 0', portCalls.deleteExpired),
  {
    title: 'status, if it exists, resolves to unreachable when the backend fails, and never rejects',
    run: async (storage) => {
      assert.notEqual((await storage.status?.())?.isReachable, true)
    },
  },
  {
    title: 'no method leaves a listener on the signal of a call that the backend fails',
    run: async (storage) => {
      for (const [name, call] of Object.entries(portCalls)) {
        const { signal } = new AbortController()
        await assert.rejects(async () => call(storage, { signal }))
        assert.equal(getEventListeners(signal, 'abort').length, 0, `${name} left a listener`)
      }
    },
  },
  {
    title: 'no error contains a bound value when the backend fails',
    run: async (storage) => {
      for (const call of Object.values(portCalls)) await assertRejectsWithoutBoundText(() => call(storage))
    },
  },
])
