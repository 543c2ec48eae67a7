import assert from 'node:assert/strict'
import { requirementsOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleSessions, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll, inParts, listActive, toAllEnded, toEnded, userOf } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }
const later = { endedAt: start + 99, endReason: 'another reason' }
const endedByTime = { endedAt: start + 500, endReason: 'created_before' }
const session = sampleSession(1)
const { issuer } = session

/** The requirements of `end`, `endAllForUser` and `endCreatedBefore`. */
export const endingCases = requirementsOf('ending', {
  'end writes the time and reason of one session, empties its recent verifiers, and changes nothing else': async (
    storage,
  ) => {
    await createAll(storage, [fullSession(1), fullSession(2)])
    assert.deepEqual(await storage.end({ id: session.id, ...ending }), { outcome: 'ended' })
    await assertStored(storage, [toEnded(fullSession(1), ending), fullSession(2)])
  },
  'end resolves to already-ended with the first time and reason for later callers, and keeps both': async (storage) => {
    const [ended, endedByUser] = [sampleSession(1), sampleSession(2)]
    await createAll(storage, [ended, endedByUser])
    await storage.end({ id: ended.id, ...ending })
    await storage.endAllForUser({ ...userOf(ended), ...later })
    for (const another of [ending, later, { endedAt: start - 1, endReason: 'earlier' }]) {
      assert.deepEqual(await storage.end({ id: ended.id, ...another }), { outcome: 'already-ended', ...ending })
      assert.deepEqual(await storage.end({ id: endedByUser.id, ...another }), { outcome: 'already-ended', ...later })
    }
    await assertStored(storage, [
      { ...ended, ...ending },
      { ...endedByUser, ...later },
    ])
  },
  'end ends an expired session': async (storage) => {
    const expired = sampleSession(1, { idleExpiresAt: start + 2, absoluteExpiresAt: start + 2 })
    await storage.create(expired)
    assert.deepEqual(await storage.end({ id: expired.id, ...ending }), { outcome: 'ended' })
    await assertStored(storage, [{ ...expired, ...ending }])
  },
  'end resolves to not-found when the session does not exist, and after it was deleted': async (storage) => {
    await createAll(storage, [session, sampleSession(2, ending)])
    await storage.deleteExpired({ before: ending.endedAt, limit: 1 })
    for (const id of ['missing', sampleSession(2).id]) {
      assert.deepEqual(await storage.end({ id, ...later }), { outcome: 'not-found' })
    }
    await assertStored(storage, [session])
  },
  'endAllForUser ends and counts all sessions of the user, and changes no session of another user': async (storage) => {
    const [one, two, ofAnother] = [fullSession(1), fullSession(2), fullSession(4, { userId: 2 })]
    const expired = sampleSession(5, { idleExpiresAt: start + 1, absoluteExpiresAt: start + 1 })
    await createAll(storage, [one, two, expired, ofAnother])
    assert.equal(await storage.endAllForUser({ ...sampleUser(1), ...ending }), 3)
    assert.equal(await storage.endAllForUser({ ...sampleUser(3), ...ending }), 0)
    await assertStored(storage, [...toAllEnded([one, two, expired], ending), ofAnother])
  },
  'endAllForUser counts only the sessions that it ended, and keeps the first time and reason of the others': async (
    storage,
  ) => {
    const [two, ended] = [fullSession(2), sampleSession(5, { endedAt: start, endReason: 'earlier' })]
    await createAll(storage, [session, two, ended])
    await storage.end({ id: two.id, ...ending })
    for (const [end, count] of [[later, 1] as const, [ending, 0] as const]) {
      assert.equal(await storage.endAllForUser({ ...sampleUser(1), ...end }), count)
      await assertStored(storage, [{ ...session, ...later }, toEnded(two, ending), ended])
    }
  },
  'endAllForUser ends 1,200 sessions of one user in one call': async (storage) => {
    const sessions = sampleSessions(1_200)
    await createAll(storage, sessions, 50)
    assert.equal(await storage.endAllForUser({ ...sampleUser(1), ...ending }), sessions.length)
    for (const part of inParts(sessions, 100)) await assertStored(storage, toAllEnded(part, ending))
  },
  'endCreatedBefore ends exactly the sessions created before the instant, to the millisecond, for every user': async (
    storage,
  ) => {
    const sessions = [fullSession(1), fullSession(2, { userId: 2 }), fullSession(3), fullSession(4, { userId: 'x' })]
    await createAll(storage, sessions)
    assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 1, limit: 10, ...endedByTime }), 0)
    await assertStored(storage, sessions)
    assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 3, limit: 10, ...endedByTime }), 2)
    await assertStored(storage, [...toAllEnded(sessions.slice(0, 2), endedByTime), ...sessions.slice(2)])
  },
  'endCreatedBefore ends no session of another issuer': async (storage) => {
    const other = fullSession(2, { issuer: `${issuer}/` })
    await createAll(storage, [session, other])
    assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 10, limit: 10, ...endedByTime }), 1)
    await assertStored(storage, [{ ...session, ...endedByTime }, other])
  },
  'endCreatedBefore neither counts nor changes ended and expired sessions': async (storage) => {
    const ended = sampleSession(1, { endedAt: start, endReason: 'earlier' })
    const idle = sampleSession(2, { idleExpiresAt: endedByTime.endedAt })
    const old = sampleSession(3, { absoluteExpiresAt: endedByTime.endedAt })
    const [revoked, active] = [sampleSession(4), sampleSession(5)]
    await createAll(storage, [ended, idle, old, revoked, active])
    await storage.end({ id: revoked.id, ...ending })
    assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 10, limit: 10, ...endedByTime }), 1)
    await assertStored(storage, [ended, idle, old, { ...revoked, ...ending }, { ...active, ...endedByTime }])
  },
  'endCreatedBefore ends at most the limit per call, and repeated calls end every session': async (storage) => {
    const sessions = sampleSessions(150)
    await createAll(storage, [sampleSession(0, { idleExpiresAt: start }), ...sessions])
    for (const count of [70, 70, 10]) {
      const created = { issuer, createdBefore: start + 1_000, limit: 70 }
      assert.equal(await storage.endCreatedBefore({ ...created, ...endedByTime }), count)
    }
    await assertStored(storage, toAllEnded(sessions, endedByTime))
    assert.deepEqual(await listActive(storage), [])
  },
  'endCreatedBefore ends a session that rotated after the instant, and the session never rotates again': async (
    storage,
  ) => {
    const rotating = sampleSession(1, { idleExpiresAt: start + 1 })
    const rotation = sampleRotation(rotating)
    await storage.create(rotating)
    await storage.rotate(rotation)
    assert.equal(await storage.endCreatedBefore({ issuer, createdBefore: start + 10, limit: 1, ...endedByTime }), 1)
    const again = { ...rotation, expectedVerifierHash: rotation.verifierHash, verifierHash: 'again' }
    assert.equal(await storage.rotate(again), 'stale')
  },
})
