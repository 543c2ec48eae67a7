import assert from 'node:assert/strict'
import { checksOf, type Moment, type Requirement, requirementsOf, type StoragePair } from '../conformance-case.js'
import { portCalls, storeForCalls, writes } from '../port-calls.js'
import { assertStored, assertStoredAsOneOf } from '../stored-sessions.js'

const effects: Readonly<Record<Moment, string>> = {
  'before-commit': 'nothing when the backend fails before the commit',
  'after-commit': 'all or nothing when the response is lost after the commit',
}

/**
 * The requirements for writes of a first storage that the backend fails midway, once. An adapter
 * that sends a write again receives the outcome of a second call, such as `already-ended`.
 */
export const interruptionCasesAt = (moment: Moment): readonly Requirement<StoragePair>[] =>
  requirementsOf(
    'interruptions',
    checksOf(
      writes,
      ({ session, before, after }, method) =>
        async (interrupted, healthy) => {
          const call = portCalls[method]
          await storeForCalls(healthy)
          await assert.rejects(async () => call(interrupted))
          await assertStoredAsOneOf(healthy, session, moment === 'before-commit' ? [before] : [before, after])
          // If the first `create` took place, the repeat rejects because the id is taken. The
          // session is stored in both cases.
          await (method === 'create' ? Promise.allSettled([call(interrupted)]) : call(interrupted))
          await assertStored(healthy, after === undefined ? [] : [after], [session])
        },
      (method) => `${method} rejects and writes ${effects[moment]}, and a repeat completes the write`,
    ),
  )
