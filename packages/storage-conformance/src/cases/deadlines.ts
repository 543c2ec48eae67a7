import assert from 'node:assert/strict'
import { checksOf, requirementsOf } from '../conformance-case.js'
import {
  assertLeavesNoListener,
  assertNoCallTookPlace,
  assertRejectsWithoutBoundText,
  portCalls,
  storeForCalls,
  writes,
} from '../port-calls.js'
import { fullSession, sampleRotation, sampleUser, start } from '../sample-session.js'
import { assertStoredAsOneOf, userOf } from '../stored-sessions.js'

const ending = { endedAt: start, endReason: 'revoked' }
const session = fullSession(1)

/** The requirements for the signal of a call. */
export const deadlineCases = requirementsOf('deadlines', {
  ...checksOf(
    portCalls,
    (call) => async (storage) => {
      await storeForCalls(storage)
      const signal = AbortSignal.abort(new Error('deadline exceeded'))
      await assertRejectsWithoutBoundText(() => call(storage, { signal }))
      await assertNoCallTookPlace(storage)
    },
    (method) =>
      `${method} rejects, with no bound value in the error, and has no effect when its signal has already aborted`,
  ),
  'a signal that does not abort changes no result': async (storage) => {
    const { signal } = new AbortController()
    await storage.create(session, { signal })
    assert.deepEqual(await storage.findByIds([session.id], { signal }), [session])
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash, { signal }), session)
    assert.deepEqual(await storage.list({ ...userOf(session), activeAt: start, limit: 1_000 }, { signal }), [session])
    assert.equal(await storage.rotate(sampleRotation(session), { signal }), 'rotated')
    assert.deepEqual(await storage.end({ id: session.id, ...ending }, { signal }), { outcome: 'ended' })
    assert.equal(await storage.endAllForUser({ ...sampleUser(1), ...ending }, { signal }), 0)
    assert.equal(await storage.deleteExpired({ before: start, limit: 100 }, { signal }), 1)
  },
  'no method leaves a listener on the signal of a settled call': async (storage) => {
    await storeForCalls(storage)
    for (const [name, call] of Object.entries(portCalls)) await assertLeavesNoListener(name, call, storage)
    // The id is taken.
    await assertLeavesNoListener('a second create', portCalls.create, storage)
  },
  ...checksOf(
    writes,
    ({ session, before, after }, method) =>
      async (storage) => {
        await storeForCalls(storage)
        const controller = new AbortController()
        const settled = portCalls[method](storage, { signal: controller.signal }).catch(() => {})
        controller.abort(new Error('deadline exceeded'))
        await settled
        await assertStoredAsOneOf(storage, session, [before, after])
      },
    (method) => `${method} writes all or nothing when its signal aborts during the call`,
  ),
})
