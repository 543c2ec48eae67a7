import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import {
  fullSession,
  sampleRotation,
  sampleSession,
  sampleSessions,
  sampleUser,
  start,
  toRotated,
} from '../sample-session.js'
import { createAll, inOrderOfId } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }

/** What `listActive` promises. */
export const listingCases = casesOf('listing', [
  {
    title: "lists a user's sessions whole, and nobody else's",
    run: async (storage) => {
      await createAll(storage, [fullSession(1), fullSession(2, { userId: 2 })])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), [fullSession(1)])
      assert.deepEqual(await storage.listActive(sampleUser(3), { now: start, limit: 1_000 }), [])
    },
  },
  {
    title: 'lists the newest createdAt first, to the millisecond, whatever the order of creation and use',
    run: async (storage) => {
      const oldest = sampleSession(5, { createdAt: 999, lastUsedAt: start + 9_999, rotatedAt: start + 9_999 })
      await createAll(storage, [2, 4, 1, 3].map((number) => sampleSession(number)).toSpliced(2, 0, oldest))
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), [
        ...sampleSessions(4).toReversed(),
        oldest,
      ])
    },
  },
  {
    title: 'lists them all, however many a user has',
    run: async (storage) => {
      const many = sampleSessions(250)
      await Promise.all(many.map((session) => storage.create(session)))
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), many.toReversed())
    },
  },
  {
    title: 'lists no more than the limit, the newest of them',
    run: async (storage) => {
      const sessions = sampleSessions(100)
      await createAll(storage, sessions)
      await storage.end(sampleSession(99).id, ending)
      const active = sessions.toReversed().filter((session) => session.id !== sampleSession(99).id)
      for (const limit of [1, 2, 70, 99, 100]) {
        assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit }), active.slice(0, limit))
      }
    },
  },
  {
    title: 'lists every session of those created in one millisecond',
    run: async (storage) => {
      const sessions = sampleSessions(5, { createdAt: start })
      await createAll(storage, sessions)
      assert.deepEqual(inOrderOfId(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 })), sessions)
    },
  },
  {
    title: 'lists no session that has ended, not even one whose end lies after the instant asked for',
    run: async (storage) => {
      await createAll(storage, [...sampleSessions(3), sampleSession(4, { endedAt: 0, endReason: 'revoked' })])
      await storage.end(sampleSession(2).id, ending)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), [
        sampleSession(3),
        sampleSession(1),
      ])
      await storage.endAllForUser(sampleUser(1), ending)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), [])
    },
  },
  {
    title: 'lists a session up to the last millisecond before its idle expiry, and not at it',
    run: async (storage) => {
      const session = sampleSession(1, { idleExpiresAt: start + 1_000 })
      await storage.create(session)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 999, limit: 1_000 }), [session])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 1_000, limit: 1_000 }), [])
    },
  },
  {
    title: 'lists a session up to the last millisecond before its absolute expiry, and not at it',
    run: async (storage) => {
      const session = sampleSession(1, { absoluteExpiresAt: start + 1_000 })
      await storage.create(session)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 999, limit: 1_000 }), [session])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 1_000, limit: 1_000 }), [])
    },
  },
  {
    title: 'lists a session whose idle expiry a rotation moved, up to the new instant',
    run: async (storage) => {
      const session = sampleSession(1, { idleExpiresAt: start + 1 })
      await storage.create(session)
      const rotation = sampleRotation(session)
      await storage.rotate(rotation)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: rotation.idleExpiresAt - 1, limit: 1_000 }), [
        toRotated(session, rotation),
      ])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: rotation.idleExpiresAt, limit: 1_000 }), [])
    },
  },
])
