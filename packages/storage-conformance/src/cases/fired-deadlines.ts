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

/** Makes a call, and aborts its signal while the call is in flight. */
const abortInFlight = async (storage: SessionStorage, call: Call): Promise<void> => {
  await storage.create(session)
  const controller = new AbortController()
  const settled = call(storage, { signal: controller.signal }).catch(() => {})
  controller.abort(new Error('deadline exceeded'))
  await settled
}

/** Creates a case whose aborted call must have taken place completely or not at all. */
const firedCase = (
  title: string,
  call: Call,
  [about, ...allowed]: readonly [SessionRecord, ...(SessionRecord | undefined)[]],
): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    await abortInFlight(storage, call)
    await assertStoredAsOneOf(storage, about, allowed)
  },
})

/** The requirements for a signal that aborts while the call is in flight. */
export const firedDeadlineCases = casesOf('deadlines', [
  firedCase(
    'create stores the whole session or nothing when its signal aborts during the call',
    (storage, options) => storage.create(created, options),
    [created, undefined, created],
  ),
  firedCase(
    'rotate writes the whole rotation or nothing when its signal aborts during the call',
    (storage, options) => storage.rotate(sampleRotation(session), options),
    [session, session, toRotated(session, sampleRotation(session))],
  ),
  firedCase(
    'end writes both time and reason, or neither, when its signal aborts during the call',
    (storage, options) => storage.end(session.id, ending, options),
    [session, session, { ...session, ...ending }],
  ),
  {
    title: 'end succeeds when it is repeated after its signal aborted during the first call',
    run: async (storage) => {
      await abortInFlight(storage, (_, options) => storage.end(session.id, ending, options))
      const again = await storage.end(session.id, later)
      const first = again.outcome === 'already-ended' ? ending : later
      if (again.outcome === 'already-ended') assert.deepEqual(again, { outcome: 'already-ended', ...ending })
      else assert.deepEqual(again, { outcome: 'ended' })
      assert.deepEqual(await storage.findByIds([session.id]), [{ ...session, ...first }])
    },
  },
])
