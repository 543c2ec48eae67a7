import assert from 'node:assert/strict'
import type { CallOptions, SessionRecord, SessionStorage } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, start, toRotated } from '../sample-session.js'
import { assertStoredAsOneOf } from '../stored-sessions.js'

const ending = { endedAt: start, endReason: 'revoked' }
const later = { endedAt: start + 1, endReason: 'another' }
const session = fullSession(1)
const created = sampleSession(2)

type Call = (storage: SessionStorage, options: CallOptions) => Promise<unknown>

/** Makes a call and lets its deadline fire while it is under way. */
const fireUnderWay = async (storage: SessionStorage, call: Call): Promise<void> => {
  await storage.create(session)
  const controller = new AbortController()
  const answer = call(storage, { signal: controller.signal }).catch(() => {})
  controller.abort(new Error('the deadline is over'))
  await answer
}

/** One case whose call may have taken place or not, but never in part. */
const firedCase = (
  title: string,
  call: Call,
  [about, ...allowed]: readonly [SessionRecord, ...(SessionRecord | undefined)[]],
): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    await fireUnderWay(storage, call)
    await assertStoredAsOneOf(storage, about, allowed)
  },
})

/** What the port promises about a deadline that fires while the call is under way. */
export const firedDeadlineCases = casesOf('deadlines', [
  firedCase(
    'stores a session whole or not at all when the deadline fires on the way',
    (storage, options) => storage.create(created, options),
    [created, undefined, created],
  ),
  firedCase(
    'rotates whole or not at all when the deadline fires on the way',
    (storage, options) => storage.rotate(sampleRotation(session), options),
    [session, session, toRotated(session, sampleRotation(session))],
  ),
  firedCase(
    'ends whole or not at all when the deadline fires on the way',
    (storage, options) => storage.end(session.id, ending, options),
    [session, session, { ...session, ...ending }],
  ),
  {
    title: 'goes on answering, and lets a call that was cut short be made again',
    run: async (storage) => {
      await fireUnderWay(storage, (_, options) => storage.end(session.id, ending, options))
      const again = await storage.end(session.id, later)
      const first = again.outcome === 'already-ended' ? ending : later
      if (again.outcome === 'already-ended') assert.deepEqual(again, { outcome: 'already-ended', ...ending })
      else assert.deepEqual(again, { outcome: 'ended' })
      assert.deepEqual(await storage.findByIds([session.id]), [{ ...session, ...first }])
    },
  },
])
