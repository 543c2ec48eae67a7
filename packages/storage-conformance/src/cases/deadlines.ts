import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import type { CallOptions } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { assertRejectsWithoutBoundText } from '../error-texts.js'
import { assertNoCallTookPlace, type PortCall, portCalls, storeForCalls } from '../port-calls.js'
import { sampleRotation, sampleSession, sampleUser, start } from '../sample-session.js'

const ending = { endedAt: start, endReason: 'revoked' }
const session = sampleSession(1)

const abortedOptions = (): CallOptions => ({ signal: AbortSignal.abort(new Error('deadline exceeded')) })

/** Creates a case that passes an aborted signal to a call. */
const abortedCase = (title: string, call: PortCall): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    await storeForCalls(storage)
    await assert.rejects(async () => call(storage, abortedOptions()))
    await assertNoCallTookPlace(storage)
  },
})

/** The requirements for the signal of a call. */
export const deadlineCases = casesOf('deadlines', [
  abortedCase('create rejects and stores nothing when its signal has already aborted', portCalls.create),
  abortedCase('findByIds rejects when its signal has already aborted', portCalls.findByIds),
  abortedCase('findBySelectorHash rejects when its signal has already aborted', portCalls.findBySelectorHash),
  abortedCase('rotate rejects and writes nothing when its signal has already aborted', portCalls.rotate),
  abortedCase('end rejects and ends nothing when its signal has already aborted', portCalls.end),
  abortedCase('endAllForUser rejects and ends nothing when its signal has already aborted', portCalls.endAllForUser),
  abortedCase('list rejects when its signal has already aborted', portCalls.list),
  abortedCase(
    'endCreatedBefore rejects and ends nothing when its signal has already aborted',
    portCalls.endCreatedBefore,
  ),
  abortedCase(
    'clearRecentVerifiers rejects and clears nothing when its signal has already aborted',
    portCalls.clearRecentVerifiers,
  ),
  abortedCase('deleteExpired rejects and deletes nothing when its signal has already aborted', portCalls.deleteExpired),
  {
    title: 'no error contains a bound value when the signal has already aborted',
    run: async (storage) => {
      for (const call of Object.values(portCalls)) {
        await assertRejectsWithoutBoundText(() => call(storage, abortedOptions()))
      }
    },
  },
  {
    title: 'a signal that does not abort changes no result',
    run: async (storage) => {
      const { signal } = new AbortController()
      await storage.create(session, { signal })
      assert.deepEqual(await storage.findByIds([session.id], { signal }), [session])
      assert.deepEqual(await storage.findBySelectorHash(session.selectorHash, { signal }), session)
      assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 }, { signal }), [session])
      assert.equal(await storage.rotate(sampleRotation(session), { signal }), 'rotated')
      assert.deepEqual(await storage.end(session.id, ending, { signal }), { outcome: 'ended' })
      assert.equal(await storage.endAllForUser(sampleUser(1), ending, { signal }), 0)
      assert.equal(await storage.deleteExpired(start, 100, { signal }), 1)
    },
  },
  {
    title: 'no method leaves a listener on the signal of a settled call',
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
