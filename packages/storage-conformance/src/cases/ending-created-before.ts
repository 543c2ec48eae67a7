import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleSessions, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const ending = { endedAt: start + 500, endReason: 'issued_before' }
const { issuer } = sampleUser(1)

/** The requirements of `endCreatedBefore`. */
export const endingCreatedBeforeCases = casesOf('ending all', [
  {
    title:
      'endCreatedBefore ends exactly the sessions that were created before the instant, to the millisecond, for every user',
    run: async (storage) => {
      const sessions = [fullSession(1), fullSession(2, { userId: 2 }), fullSession(3), fullSession(4, { userId: 'x' })]
      await createAll(storage, sessions)
      assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 1, limit: 10 }, ending), 0)
      await assertStored(storage, sessions, sessions)
      assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 3, limit: 10 }, ending), 2)
      const [earlier, later] = [sessions.slice(0, 2), sessions.slice(2)]
      await assertStored(storage, sessions, [...earlier.map((session) => ({ ...session, ...ending })), ...later])
    },
  },
  {
    title: 'endCreatedBefore ends no session of another issuer',
    run: async (storage) => {
      const [own, other] = [fullSession(1), fullSession(2, { issuer: `${issuer}/` })]
      await createAll(storage, [own, other])
      assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 10, limit: 10 }, ending), 1)
      await assertStored(storage, [own, other], [{ ...own, ...ending }, other])
    },
  },
  {
    title: 'endCreatedBefore neither counts nor changes ended and expired sessions',
    run: async (storage) => {
      const ended = sampleSession(1, { endedAt: start, endReason: 'earlier' })
      const idle = sampleSession(2, { idleExpiresAt: ending.endedAt })
      const old = sampleSession(3, { absoluteExpiresAt: ending.endedAt })
      const revoked = sampleSession(4)
      await createAll(storage, [ended, idle, old, revoked, sampleSession(5)])
      await storage.end(revoked.id, { endedAt: start + 1, endReason: 'revoked' })
      assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 10, limit: 10 }, ending), 1)
      await assertStored(
        storage,
        [ended, idle, old, revoked, sampleSession(5)],
        [
          ended,
          idle,
          old,
          { ...revoked, endedAt: start + 1, endReason: 'revoked' },
          { ...sampleSession(5), ...ending },
        ],
      )
    },
  },
  {
    title: 'endCreatedBefore ends at most the limit per call, and repeated calls end every session',
    run: async (storage) => {
      const sessions = sampleSessions(150)
      const expired = sampleSession(0, { idleExpiresAt: start })
      await createAll(storage, [expired, ...sessions])
      const counts = []
      for (const _ of [1, 2, 3]) {
        counts.push(await storage.endCreatedBefore({ issuer, createdBefore: start + 1_000, limit: 70 }, ending))
      }
      assert.deepEqual(counts, [70, 70, 10])
      await assertStored(
        storage,
        sessions,
        sessions.map((session) => ({ ...session, ...ending })),
      )
      assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start, limit: 10 }), [])
    },
  },
  {
    title: 'endCreatedBefore ends a session that rotated after the instant, and the session never rotates again',
    run: async (storage) => {
      const session = sampleSession(1, { idleExpiresAt: start + 1 })
      await storage.create(session)
      await storage.rotate(sampleRotation(session))
      assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 10, limit: 1 }, ending), 1)
      const again = { ...sampleRotation(session, 'again'), expectedVerifierHash: sampleRotation(session).verifierHash }
      assert.equal(await storage.rotate(again), 'stale')
    },
  },
])
