import assert from 'node:assert/strict'
import type { CallOptions, SessionStorage } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const ending = { endedAt: start, endReason: 'revoked' }
const [live, over] = [sampleSession(1), sampleSession(2, { idleExpiresAt: start })]

type Call = (storage: SessionStorage, options: CallOptions) => unknown

/** One case that makes a call whose deadline is over, beside a live and an expired session. */
const abortedCase = (title: string, call: Call): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    await createAll(storage, [live, over])
    await assert.rejects(async () => call(storage, { signal: AbortSignal.abort(new Error('the deadline is over')) }))
    await assertStored(storage, [live, over, sampleSession(3)], [live, over])
  },
})

/** What the port promises about a caller's deadline. */
export const deadlineCases = casesOf('deadlines', [
  abortedCase('rejects a creation whose deadline is over, and stores nothing', (storage, options) =>
    storage.create(sampleSession(3), options),
  ),
  abortedCase('rejects a batch lookup whose deadline is over', (storage, options) =>
    storage.findByIds([live.id], options),
  ),
  abortedCase('rejects a selector lookup whose deadline is over', (storage, options) =>
    storage.findBySelectorHash(live.selectorHash, options),
  ),
  abortedCase('rejects a rotation whose deadline is over, and writes nothing', (storage, options) =>
    storage.rotate(sampleRotation(live), options),
  ),
  abortedCase('rejects an end whose deadline is over, and ends nothing', (storage, options) =>
    storage.end(live.id, ending, options),
  ),
  abortedCase("rejects the end of all of a user's sessions whose deadline is over, and ends none", (storage, options) =>
    storage.endAllForUser(sampleUser(1), ending, options),
  ),
  abortedCase('rejects a list whose deadline is over', (storage, options) =>
    storage.listActive(sampleUser(1), { now: start, limit: 1_000 }, options),
  ),
  abortedCase('rejects a deletion whose deadline is over, and deletes nothing', (storage, options) =>
    storage.deleteExpired(start, 100, options),
  ),
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
])
