import assert from 'node:assert/strict'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { assertRejectsAndTellsNothing } from '../error-texts.js'
import { type PortCall, portCalls } from '../port-calls.js'

const failingCase = (title: string, call: PortCall): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: (storage) => assert.rejects(async () => call(storage)),
})

/** What the port promises when the backend can't answer. Each case runs on a storage whose backend fails every call. */
export const failureCases = casesOf('failures', [
  failingCase('rejects a creation that the backend fails', portCalls.create),
  failingCase('rejects a batch lookup that the backend fails, and never calls it missing', portCalls.findByIds),
  failingCase(
    'rejects a selector lookup that the backend fails, and never calls it missing',
    portCalls.findBySelectorHash,
  ),
  failingCase('rejects a rotation that the backend fails, and never calls it stale', portCalls.rotate),
  failingCase('rejects an end that the backend fails, and never calls it not-found', portCalls.end),
  failingCase(
    "rejects the end of all of a user's sessions that the backend fails, and never counts none",
    portCalls.endAllForUser,
  ),
  failingCase('rejects a list that the backend fails, and never calls it empty', portCalls.listActive),
  failingCase(
    'rejects the end of sessions created before an instant that the backend fails, and never counts none',
    portCalls.endCreatedBefore,
  ),
  failingCase(
    'rejects a clearing of recent verifiers that the backend fails, and never counts none',
    portCalls.clearRecentVerifiers,
  ),
  failingCase('rejects a deletion that the backend fails, and never counts none', portCalls.deleteExpired),
  {
    title: 'resolves to the status of an unreachable storage where the backend fails, and never rejects',
    run: async (storage) => {
      assert.notEqual((await storage.status?.())?.isReachable, true)
    },
  },
  {
    title: 'tells no bound value in the error of any call that the backend fails',
    run: async (storage) => {
      for (const call of Object.values(portCalls)) await assertRejectsAndTellsNothing(() => call(storage))
    },
  },
])
