import assert from 'node:assert/strict'
import type { CallOptions, SessionRecord, SessionStorage } from '@jwt-auth/core'
import { type Checks, requirementsOf } from '../conformance-case.js'
import {
  assertLeavesNoListener,
  assertNoCallTookPlace,
  assertRejectsWithoutBoundText,
  forEachMethod,
  type PortCall,
  portCalls,
  storeForCalls,
} from '../port-calls.js'
import { fullSession, sampleRotation, sampleSession, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, assertStoredAsOneOf } from '../stored-sessions.js'

const ending = { endedAt: start, endReason: 'revoked' }
const later = { endedAt: start + 1, endReason: 'another' }
const session = fullSession(1)
const created = sampleSession(2)

const abortedOptions = (): CallOptions => ({ signal: AbortSignal.abort(new Error('deadline exceeded')) })

/** Makes a call, and aborts its signal while the call is in flight. */
const abortInFlight = async (storage: SessionStorage, call: PortCall): Promise<void> => {
  await storage.create(session)
  const controller = new AbortController()
  const settled = call(storage, { signal: controller.signal }).catch(() => {})
  controller.abort(new Error('deadline exceeded'))
  await settled
}

/** Creates a case whose aborted call must have taken place completely or not at all. */
const abortedCase = (
  title: string,
  call: PortCall,
  [about, ...allowed]: readonly [SessionRecord, ...(SessionRecord | undefined)[]],
): Checks => ({
  [title]: async (storage) => {
    await abortInFlight(storage, call)
    await assertStoredAsOneOf(storage, about, allowed)
  },
})

/** The requirements for the signal of a call. */
export const deadlineCases = requirementsOf('deadlines', {
  ...forEachMethod(
    (method) => `${method} rejects and has no effect when its signal has already aborted`,
    async (storage, call) => {
      await storeForCalls(storage)
      await assert.rejects(async () => call(storage, abortedOptions()))
      await assertNoCallTookPlace(storage)
    },
  ),
  'no error contains a bound value when the signal has already aborted': async (storage) => {
    for (const call of Object.values(portCalls)) {
      await assertRejectsWithoutBoundText(() => call(storage, abortedOptions()))
    }
  },
  'a signal that does not abort changes no result': async (storage) => {
    const { signal } = new AbortController()
    await storage.create(session, { signal })
    assert.deepEqual(await storage.findByIds([session.id], { signal }), [session])
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash, { signal }), session)
    assert.deepEqual(await storage.list(session, { activeAt: start, limit: 1_000 }, { signal }), [session])
    assert.equal(await storage.rotate(sampleRotation(session), { signal }), 'rotated')
    assert.deepEqual(await storage.end(session.id, ending, { signal }), { outcome: 'ended' })
    assert.equal(await storage.endAllForUser(sampleUser(1), ending, { signal }), 0)
    assert.equal(await storage.deleteExpired(start, 100, { signal }), 1)
  },
  'no method leaves a listener on the signal of a settled call': async (storage) => {
    await storeForCalls(storage)
    for (const [name, call] of Object.entries(portCalls)) await assertLeavesNoListener(name, call, storage)
    // The id is taken.
    await assertLeavesNoListener('a second create', portCalls.create, storage)
  },
  ...abortedCase(
    'create stores the whole session or nothing when its signal aborts during the call',
    (storage, options) => storage.create(created, options),
    [created, undefined, created],
  ),
  ...abortedCase(
    'rotate writes the whole rotation or nothing when its signal aborts during the call',
    (storage, options) => storage.rotate(sampleRotation(session), options),
    [session, session, toRotated(session, sampleRotation(session))],
  ),
  ...abortedCase(
    'end writes both time and reason, or neither, when its signal aborts during the call',
    (storage, options) => storage.end(session.id, ending, options),
    [session, session, { ...session, ...ending }],
  ),
  'end succeeds when it is repeated after its signal aborted during the first call': async (storage) => {
    await abortInFlight(storage, (_, options) => storage.end(session.id, ending, options))
    const again = await storage.end(session.id, later)
    const isEndedBefore = again.outcome === 'already-ended'
    assert.deepEqual(again, isEndedBefore ? { outcome: 'already-ended', ...ending } : { outcome: 'ended' })
    await assertStored(storage, [{ ...session, ...(isEndedBefore ? ending : later) }])
  },
})
