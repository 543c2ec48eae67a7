import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { toConfirmation } from '@jwt-auth/core/internal'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll, listActive, toEnded } from '../stored-sessions.js'

/**
 * Returns a session that is active at `instant`. All instants of the session lie between `instant`
 * and 4 ms later.
 */
const sessionAt = (number: number, instant: number): SessionRecord =>
  sampleSession(number, {
    recentVerifiers: [{ verifierHash: 'recent', salt: 'salt', replacedAt: instant }],
    createdAt: instant,
    rotatedAt: instant + 1,
    lastUsedAt: instant + 2,
    idleExpiresAt: instant + 3,
    absoluteExpiresAt: instant + 4,
  })

/** Instants that every method writes and reads. */
const instants = {
  'instants exact to the millisecond': [1_767_225_599_999],
  'instants exact after 2038, when 32-bit seconds overflow': [2_147_483_647_998],
  'the last instants of the year 9999 exact': [Date.UTC(10_000, 0) - 8],
  'the instant 0 and the milliseconds after it exact': [0],
  'both instants of a local time exact when the clocks go back': [5, 6].map((hour) => Date.UTC(2040, 10, 4, hour, 30)),
}

/**
 * Runs work in another local time zone, and restores the time zone of the process afterwards. A
 * worker thread ignores changes of `TZ`: there, the work runs in the time zone of the machine.
 */
const inTimeZone = async (zone: string, work: () => Promise<void>): Promise<void> => {
  const before = process.env['TZ']
  process.env['TZ'] = zone
  try {
    await work()
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
}

/** The requirements for instants. */
export const precisionCases = requirementsOf('precision', {
  ...checksOf(
    instants,
    (all) => (storage) =>
      inTimeZone('America/New_York', async () => {
        for (const instant of all) {
          const [one, two] = [sessionAt(1, instant), sessionAt(2, instant)]
          await createAll(storage, [one, two])
          await assertStored(storage, [one, two])
          assert.deepEqual(await storage.findBySelectorHash(one.selectorHash), one)
          assert.deepEqual(await listActive(storage, one, instant + 3), [])
          const { id } = one
          const next = { rotatedAt: instant + 5, lastUsedAt: instant + 6, idleExpiresAt: instant + 7 }
          await storage.rotate({ ...toConfirmation(one), ...next })
          const ending = { endedAt: instant + 1, endReason: 'revoked' }
          await storage.end({ id, ...ending })
          assert.deepEqual(await storage.end({ id, ...ending }), { outcome: 'already-ended', ...ending })
          await storage.endAllForUser({ ...one, ...ending, endedAt: instant + 2 })
          await assertStored(storage, [
            toEnded({ ...one, ...next }, ending),
            toEnded(two, { ...ending, endedAt: instant + 2 }),
          ])
          assert.equal(await storage.deleteExpired({ before: instant, limit: 100 }), 0)
          assert.equal(await storage.deleteExpired({ before: instant + 1, limit: 100 }), 1)
          assert.equal(await storage.deleteExpired({ before: instant + 2, limit: 100 }), 1)
        }
      }),
    (name) => `every method keeps ${name}`,
  ),
  'a session with an endedAt of 0 counts as ended': async (storage) => {
    const session = sampleSession(1)
    const ending = { endedAt: 0, endReason: 'revoked' }
    await storage.create(session)
    assert.deepEqual(await storage.end({ id: session.id, ...ending }), { outcome: 'ended' })
    const again = await storage.end({ id: session.id, ...ending, endedAt: 5 })
    assert.deepEqual(again, { outcome: 'already-ended', ...ending })
    assert.equal(await storage.endAllForUser({ ...sampleUser(1), ...ending, endedAt: 5 }), 0)
    assert.deepEqual(await listActive(storage), [])
    await assertStored(storage, [{ ...session, ...ending }])
  },
  'instants stay exact when the writing and the reading process have different time zones': async (storage) => {
    const session = sessionAt(1, start)
    await inTimeZone('America/St_Johns', () => storage.create(session))
    await inTimeZone('Asia/Kathmandu', async () => {
      await assertStored(storage, [session])
      assert.deepEqual(await listActive(storage, session, start + 2), [session])
      assert.equal(await storage.deleteExpired({ before: start + 2, limit: 1 }), 0)
      assert.equal(await storage.deleteExpired({ before: start + 4, limit: 1 }), 1)
    })
  },
})
