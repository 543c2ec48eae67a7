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

/** The requirements of `listActive`. */
export const listingCases = casesOf('listing', [
  {
    title: 'listActive resolves to the complete sessions of the user, and to none of another user',
    run: async (storage) => {
      await createAll(storage, [fullSession(1), fullSession(2, { userId: 2 })])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), [fullSession(1)])
      assert.deepEqual(await storage.listActive(sampleUser(3), { now: start, limit: 1_000 }), [])
    },
  },
  {
    title:
      'listActive sorts by createdAt, newest first, to the millisecond, regardless of the order of creation and use',
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
    title: 'listActive resolves to all 250 sessions of a user when the limit allows',
    run: async (storage) => {
      const many = sampleSessions(250)
      await Promise.all(many.map((session) => storage.create(session)))
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 }), many.toReversed())
    },
  },
  {
    title: 'listActive resolves to the newest sessions when the user has more sessions than the limit',
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
    title: 'listActive resolves to every session when several were created in the same millisecond',
    run: async (storage) => {
      const sessions = sampleSessions(5, { createdAt: start })
      await createAll(storage, sessions)
      assert.deepEqual(inOrderOfId(await storage.listActive(sampleUser(1), { now: start, limit: 1_000 })), sessions)
    },
  },
  {
    title: 'listActive omits ended sessions, even when the end is later than now',
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
    title: 'listActive includes a session a millisecond before its idle expiry, and omits it at its idle expiry',
    run: async (storage) => {
      const session = sampleSession(1, { idleExpiresAt: start + 1_000 })
      await storage.create(session)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 999, limit: 1_000 }), [session])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 1_000, limit: 1_000 }), [])
    },
  },
  {
    title:
      'listActive includes a session a millisecond before its absolute expiry, and omits it at its absolute expiry',
    run: async (storage) => {
      const session = sampleSession(1, { absoluteExpiresAt: start + 1_000 })
      await storage.create(session)
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 999, limit: 1_000 }), [session])
      assert.deepEqual(await storage.listActive(sampleUser(1), { now: start + 1_000, limit: 1_000 }), [])
    },
  },
  {
    title: 'listActive includes a session until the idle expiry that a rotation wrote',
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
