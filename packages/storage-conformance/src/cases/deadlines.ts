import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import type { CallOptions } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { assertRejectsAndTellsNothing } from '../error-texts.js'
import { assertNoCallTookPlace, type PortCall, portCalls, storeForCalls } from '../port-calls.js'
import { sampleRotation, sampleSession, sampleUser, start } from '../sample-session.js'

const ending = { endedAt: start, endReason: 'revoked' }
const live = sampleSession(1)

const overOptions = (): CallOptions => ({ signal: AbortSignal.abort(new Error('the deadline is over')) })

/** One case that makes a call whose deadline is over. */
const abortedCase = (title: string, call: PortCall): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    await storeForCalls(storage)
    await assert.rejects(async () => call(storage, overOptions()))
    await assertNoCallTookPlace(storage)
  },
})

/** What the port promises about a caller's deadline. */
export const deadlineCases = casesOf('deadlines', [
  abortedCase('rejects a creation whose deadline is over, and stores nothing', portCalls.create),
  abortedCase('rejects a batch lookup whose deadline is over', portCalls.findByIds),
  abortedCase('rejects a selector lookup whose deadline is over', portCalls.findBySelectorHash),
  abortedCase('rejects a rotation whose deadline is over, and writes nothing', portCalls.rotate),
  abortedCase('rejects an end whose deadline is over, and ends nothing', portCalls.end),
  abortedCase(
    "rejects the end of all of a user's sessions whose deadline is over, and ends none",
    portCalls.endAllForUser,
  ),
  abortedCase('rejects a list whose deadline is over', portCalls.listActive),
  abortedCase(
    'rejects the end of sessions created before an instant whose deadline is over, and ends none',
    portCalls.endCreatedBefore,
  ),
  abortedCase(
    'rejects a clearing of recent verifiers whose deadline is over, and clears none',
    portCalls.clearRecentVerifiers,
  ),
  abortedCase('rejects a deletion whose deadline is over, and deletes nothing', portCalls.deleteExpired),
  {
    title: 'tells no bound value in the error of any call whose deadline is over',
    run: async (storage) => {
      for (const call of Object.values(portCalls)) {
        await assertRejectsAndTellsNothing(() => call(storage, overOptions()))
      }
    },
  },
  {
    title: 'answers every call whose signal does not abort as it answers one without',
    run: async (storage) => {
      const { signal } = new AbortController()
      await storage.create(live, { signal })
      assert.deepEqual(await storage.findByIds([live.id], { signal }), [live])
      assert.deepEqual(await storage.findBySelectorHash(live.selectorHash, { signal }), live)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }, { signal }), [live])
      assert.equal(await storage.rotate(sampleRotation(live), { signal }), 'rotated')
      assert.deepEqual(await storage.end(live.id, ending, { signal }), { outcome: 'ended' })
      assert.equal(await storage.endAllForUser(sampleUser(1), ending, { signal }), 0)
      assert.equal(await storage.deleteExpired(start, 100, { signal }), 1)
    },
  },
  {
    title: 'leaves no listener on the signal of a call that was answered or rejected',
    run: async (storage) => {
      await storeForCalls(storage)
      // The second creation is rejected, since the id is taken.
      for (const [name, call] of [...Object.entries(portCalls), ['a second create', portCalls.create] as const]) {
        const { signal } = new AbortController()
        await Promise.allSettled([call(storage, { signal })])
        assert.equal(getEventListeners(signal, 'abort').length, 0, `${name} left a listener`)
      }
    },
  },
])
