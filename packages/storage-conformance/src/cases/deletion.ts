import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

/** Creates a case for one of the instants at which a session ends or expires. */
const boundaryCase = (title: string, expiredAtStart: Partial<SessionRecord>): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const expired = sampleSession(1, expiredAtStart)
    await createAll(storage, [expired, sampleSession(2)])
    assert.equal(await storage.deleteExpired(start - 1, 100), 0)
    await assertStored(storage, [expired, sampleSession(2)], [expired, sampleSession(2)])
    assert.equal(await storage.deleteExpired(start, 100), 1)
    await assertStored(storage, [expired, sampleSession(2)], [sampleSession(2)])
  },
})

/** The requirements of `deleteExpired`. */
export const deletionCases = casesOf('deletion', [
  boundaryCase('deleteExpired includes an endedAt equal to the instant, and excludes one a millisecond later', {
    endedAt: start,
    endReason: 'revoked',
  }),
  boundaryCase('deleteExpired includes an idle expiry equal to the instant, and excludes one a millisecond later', {
    idleExpiresAt: start,
  }),
  boundaryCase('deleteExpired includes an absolute expiry equal to the instant, and excludes one a millisecond later', {
    absoluteExpiresAt: start,
  }),
  {
    title: 'deleteExpired deletes sessions that were ended by end or endAllForUser, according to their endedAt',
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
    title: 'deleteExpired deletes at most the limit per call, and counts the deleted sessions',
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
    title: 'deleteExpired applies one limit to ended, idle-expired and absolutely expired sessions together',
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
    title: 'deleteExpired keeps a session if a rotation has moved its idle expiry past the given instant',
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
    title: 'deleteExpired frees the id and selector hash of a deleted session, and no lookup or list finds the session',
    run: async (storage) => {
      await storage.create(sampleSession(1, { idleExpiresAt: start }))
      assert.equal(await storage.deleteExpired(start, 1), 1)
      assert.equal(await storage.findBySelectorHash(sampleSession(1).selectorHash), undefined)
      assert.deepEqual(await storage.list(sampleUser(1), { limit: 1_000 }), [])
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.findBySelectorHash(sampleSession(1).selectorHash), sampleSession(1))
      assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 }), [sampleSession(1)])
    },
  },
])
