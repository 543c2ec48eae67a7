import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

/** One case for each way in which a session can be over. */
const boundaryCase = (title: string, overAtStart: Partial<SessionRecord>): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const over = sampleSession(1, overAtStart)
    await createAll(storage, [over, sampleSession(2)])
    assert.equal(await storage.deleteExpired(start - 1, 100), 0)
    await assertStored(storage, [over, sampleSession(2)], [over, sampleSession(2)])
    assert.equal(await storage.deleteExpired(start, 100), 1)
    await assertStored(storage, [over, sampleSession(2)], [sampleSession(2)])
  },
})

/** What `deleteExpired` promises. */
export const deletionCases = casesOf('deletion', [
  boundaryCase('deletes a session that had ended at the instant, and not a millisecond earlier', {
    endedAt: start,
    endReason: 'revoked',
  }),
  boundaryCase('deletes a session whose idle expiry is the instant, and not a millisecond earlier', {
    idleExpiresAt: start,
  }),
  boundaryCase('deletes a session whose absolute expiry is the instant, and not a millisecond earlier', {
    absoluteExpiresAt: start,
  }),
  {
    title: 'deletes sessions that were ended by calls, one and all, at their endedAt',
    run: async (storage) => {
      await createAll(storage, [...sampleSessions(2), sampleSession(3, { userId: 2 })])
      await storage.end(sampleSession(1).id, { endedAt: start + 10, endReason: 'revoked' })
      await storage.endAllForUser(sampleUser(1), { endedAt: start + 20, endReason: 'revoked' })
      assert.equal(await storage.deleteExpired(start + 10, 100), 1)
      assert.equal(await storage.deleteExpired(start + 19, 100), 0)
      assert.equal(await storage.deleteExpired(start + 20, 100), 1)
      await assertStored(storage, sampleSessions(3), [sampleSession(3, { userId: 2 })])
    },
  },
  {
    title: 'deletes no more than the limit at a time, and says how many',
    run: async (storage) => {
      const sessions = sampleSessions(7, { idleExpiresAt: start })
      await createAll(storage, [...sessions, sampleSession(8)])
      const counts = []
      for (const left of [4, 1, 0]) {
        counts.push(await storage.deleteExpired(start, 3))
        const found = await storage.findByIds(sessions.map(({ id }) => id))
        assert.equal(found.length, left)
      }
      assert.deepEqual(counts, [3, 3, 1])
      assert.equal(await storage.deleteExpired(start, 3), 0)
      await assertStored(storage, [sampleSession(8)], [sampleSession(8)])
    },
  },
  {
    title: 'deletes no more than the limit of sessions that are over in different ways',
    run: async (storage) => {
      const ways = [{ endedAt: start, endReason: 'revoked' }, { idleExpiresAt: start }, { absoluteExpiresAt: start }]
      const sessions = sampleSessions(9).map(({ id }, position) =>
        sampleSession(position + 1, { id, ...ways[position % ways.length] }),
      )
      await createAll(storage, sessions)
      const counts = []
      for (const left of [5, 1, 0]) {
        counts.push(await storage.deleteExpired(start, 4))
        assert.equal((await storage.findByIds(sessions.map(({ id }) => id))).length, left)
      }
      assert.deepEqual(counts, [4, 4, 1])
    },
  },
  {
    title: 'keeps a session whose idle expiry a rotation moved past the instant',
    run: async (storage) => {
      const session = sampleSession(1, { idleExpiresAt: start })
      await storage.create(session)
      await storage.rotate(sampleRotation(session))
      assert.equal(await storage.deleteExpired(start, 100), 0)
      await assertStored(storage, [session], [toRotated(session, sampleRotation(session))])
      assert.equal(await storage.deleteExpired(sampleRotation(session).idleExpiresAt, 100), 1)
    },
  },
  {
    title: 'frees the id and the selector hash of a session that it deleted, and forgets it everywhere',
    run: async (storage) => {
      await storage.create(sampleSession(1, { idleExpiresAt: start }))
      assert.equal(await storage.deleteExpired(start, 1), 1)
      assert.equal(await storage.findBySelectorHash(sampleSession(1).selectorHash), undefined)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: 0, limit: 1_000 }), [])
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.findBySelectorHash(sampleSession(1).selectorHash), sampleSession(1))
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), [sampleSession(1)])
    },
  },
])
