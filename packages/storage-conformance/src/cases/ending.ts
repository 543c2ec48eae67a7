import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }
const later = { endedAt: start + 99, endReason: 'another reason' }

/** What `end` promises. */
export const endingCases = casesOf('ending', [
  {
    title: 'ends one session, writes its time and reason and nothing else, and leaves the others alone',
    run: async (storage) => {
      const [session, other] = [fullSession(1), fullSession(2)]
      await createAll(storage, [session, other])
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'ended' })
      await assertStored(storage, [session, other], [{ ...session, ...ending }, other])
    },
  },
  {
    title: 'tells later callers the first time and reason, which stand',
    run: async (storage) => {
      const session = sampleSession(1)
      await storage.create(session)
      await storage.end(session.id, ending)
      const earlier = { endedAt: start - 1, endReason: 'earlier' }
      assert.deepEqual(await storage.end(session.id, later), { outcome: 'already-ended', ...ending })
      assert.deepEqual(await storage.end(session.id, earlier), { outcome: 'already-ended', ...ending })
      await assertStored(storage, [session], [{ ...session, ...ending }])
    },
  },
  {
    title: 'answers already-ended to a caller that ends it with the same time and reason again',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      await storage.end(sampleSession(1).id, ending)
      assert.deepEqual(await storage.end(sampleSession(1).id, ending), { outcome: 'already-ended', ...ending })
    },
  },
  {
    title: "answers already-ended for a session that ended with all of its user's",
    run: async (storage) => {
      await storage.create(sampleSession(1))
      await storage.endAllForUser(sampleUser(1), ending)
      assert.deepEqual(await storage.end(sampleSession(1).id, later), { outcome: 'already-ended', ...ending })
      await assertStored(storage, [sampleSession(1)], [{ ...sampleSession(1), ...ending }])
    },
  },
  {
    title: 'ends a session that has expired as well',
    run: async (storage) => {
      const expired = sampleSession(1, { idleExpiresAt: start + 2, absoluteExpiresAt: start + 2 })
      await storage.create(expired)
      assert.deepEqual(await storage.end(expired.id, ending), { outcome: 'ended' })
      await assertStored(storage, [expired], [{ ...expired, ...ending }])
    },
  },
  {
    title: 'answers not-found for a session that is not there',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.end('missing', ending), { outcome: 'not-found' })
      await assertStored(storage, [sampleSession(1)], [sampleSession(1)])
    },
  },
  {
    title: 'answers not-found for a session that was deleted',
    run: async (storage) => {
      await storage.create(sampleSession(1, ending))
      await storage.deleteExpired(ending.endedAt, 1)
      assert.deepEqual(await storage.end(sampleSession(1).id, later), { outcome: 'not-found' })
    },
  },
])
