import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }
const later = { endedAt: start + 99, endReason: 'another reason' }

/** The requirements of `end`. */
export const endingCases = casesOf('ending', [
  {
    title: 'end writes the time and reason of one session, and changes nothing else',
    run: async (storage) => {
      const [session, other] = [fullSession(1), fullSession(2)]
      await createAll(storage, [session, other])
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'ended' })
      await assertStored(storage, [session, other], [{ ...session, ...ending }, other])
    },
  },
  {
    title: 'end resolves to already-ended with the first time and reason for later callers, and keeps both',
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
    title: 'end resolves to already-ended when the same end is repeated',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      await storage.end(sampleSession(1).id, ending)
      assert.deepEqual(await storage.end(sampleSession(1).id, ending), { outcome: 'already-ended', ...ending })
    },
  },
  {
    title: 'end resolves to already-ended after endAllForUser',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      await storage.endAllForUser(sampleUser(1), ending)
      assert.deepEqual(await storage.end(sampleSession(1).id, later), { outcome: 'already-ended', ...ending })
      await assertStored(storage, [sampleSession(1)], [{ ...sampleSession(1), ...ending }])
    },
  },
  {
    title: 'end ends an expired session',
    run: async (storage) => {
      const expired = sampleSession(1, { idleExpiresAt: start + 2, absoluteExpiresAt: start + 2 })
      await storage.create(expired)
      assert.deepEqual(await storage.end(expired.id, ending), { outcome: 'ended' })
      await assertStored(storage, [expired], [{ ...expired, ...ending }])
    },
  },
  {
    title: 'end resolves to not-found when the session does not exist',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.end('missing', ending), { outcome: 'not-found' })
      await assertStored(storage, [sampleSession(1)], [sampleSession(1)])
    },
  },
  {
    title: 'end resolves to not-found after the session was deleted',
    run: async (storage) => {
      await storage.create(sampleSession(1, ending))
      await storage.deleteExpired(ending.endedAt, 1)
      assert.deepEqual(await storage.end(sampleSession(1).id, later), { outcome: 'not-found' })
    },
  },
])
