import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'
import { inTimeZone } from '../time-zone.js'

/** Returns a session that is active at `instant`. All instants of the session lie between `instant` and 4 ms later. */
const sessionAt = (number: number, instant: number): SessionRecord =>
  sampleSession(number, {
    recentVerifiers: [{ verifierHash: 'recent', salt: 'salt', replacedAt: instant }],
    createdAt: instant,
    rotatedAt: instant + 1,
    lastUsedAt: instant + 2,
    idleExpiresAt: instant + 3,
    absoluteExpiresAt: instant + 4,
  })

/** Creates a case that writes and reads instants with every method. */
const exactCase = (title: string, instant: number): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const [one, two] = [sessionAt(1, instant), sessionAt(2, instant)]
    await createAll(storage, [one, two])
    await assertStored(storage, [one, two], [one, two])
    assert.deepEqual(await storage.findBySelectorHash(one.selectorHash), one)
    assert.deepEqual(await storage.list(sampleUser(1), { activeAt: instant + 3, limit: 1_000 }), [])
    const next = { rotatedAt: instant + 5, lastUsedAt: instant + 6, idleExpiresAt: instant + 7 }
    const rotation = { sessionId: one.id, expectedVerifierHash: one.verifierHash, verifierHash: one.verifierHash }
    await storage.rotate({
      ...rotation,
      recentVerifiers: one.recentVerifiers,
      ...next,
      lastUserAgent: null,
      lastIpAddress: null,
    })
    const ending = { endedAt: instant + 1, endReason: 'revoked' }
    await storage.end(one.id, ending)
    assert.deepEqual(await storage.end(one.id, ending), { outcome: 'already-ended', ...ending })
    await storage.endAllForUser(sampleUser(1), { ...ending, endedAt: instant + 2 })
    const expected = [
      { ...one, ...next, ...ending },
      { ...two, ...ending, endedAt: instant + 2 },
    ]
    await assertStored(storage, [one, two], expected)
    assert.equal(await storage.deleteExpired(instant, 100), 0)
    assert.equal(await storage.deleteExpired(instant + 1, 100), 1)
    assert.equal(await storage.deleteExpired(instant + 2, 100), 1)
  },
})

/** The requirements for instants. */
export const precisionCases = casesOf('precision', [
  exactCase('every method keeps instants exact to the millisecond', 1_767_225_599_999),
  exactCase('every method keeps instants exact after 2038, when 32-bit seconds overflow', 2_147_483_647_998),
  exactCase('every method keeps the last instants of the year 9999 exact', Date.UTC(9999, 11, 31, 23, 59, 59, 999) - 7),
  exactCase('every method keeps the instant 0 and the milliseconds after it exact', 0),
  {
    title: 'a session with an endedAt of 0 counts as ended',
    run: async (storage) => {
      const session = sampleSession(1)
      const ending = { endedAt: 0, endReason: 'revoked' }
      await storage.create(session)
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'ended' })
      assert.deepEqual(await storage.end(session.id, { ...ending, endedAt: 5 }), {
        outcome: 'already-ended',
        ...ending,
      })
      assert.equal(await storage.endAllForUser(sampleUser(1), { ...ending, endedAt: 5 }), 0)
      assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 }), [])
      await assertStored(storage, [session], [{ ...session, ...ending }])
    },
  },
  {
    title: 'create keeps two instants with the same local time distinct when the clocks go back',
    run: (storage) =>
      inTimeZone('America/New_York', async () => {
        const [before, after] = [Date.UTC(2040, 10, 4, 5, 30), Date.UTC(2040, 10, 4, 6, 30)]
        await createAll(storage, [sessionAt(1, before), sessionAt(2, after)])
        await assertStored(storage, [sessionAt(1, 0), sessionAt(2, 0)], [sessionAt(1, before), sessionAt(2, after)])
      }),
  },
  {
    title: 'instants stay exact when the writing and the reading process have different time zones',
    run: async (storage) => {
      const session = sessionAt(1, start)
      await inTimeZone('America/St_Johns', () => storage.create(session))
      await inTimeZone('Asia/Kathmandu', async () => {
        await assertStored(storage, [session], [session])
        assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start + 2, limit: 1_000 }), [session])
        assert.equal(await storage.deleteExpired(start + 2, 1), 0)
        assert.equal(await storage.deleteExpired(start + 3, 1), 1)
      })
    },
  },
])
