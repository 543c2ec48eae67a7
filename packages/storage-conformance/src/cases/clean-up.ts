import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { dayMs, sampleRotation, sampleSession, sampleSessions, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, findAllStored, listActive, toAllEnded, userOf } from '../stored-sessions.js'

const session = sampleSession(1)
const rotation = sampleRotation(session)
const rotated = toRotated(session, rotation)

/** The fields that end or expire a session at `start`. */
const waysToExpire = {
  'an endedAt': { endedAt: start, endReason: 'revoked' },
  'an absolute expiry': { absoluteExpiresAt: start },
} as const

/** The fields of a session whose idle expiry was a day before `start`. */
const idle = { idleExpiresAt: start - dayMs }

/** The requirements of `deleteExpired`. */
export const cleanUpCases = requirementsOf('clean-up', {
  ...checksOf(
    waysToExpire,
    (fields) => async (storage) => {
      const expired = sampleSession(1, fields)
      await createAll(storage, [expired, sampleSession(2)])
      assert.equal(await storage.deleteExpired({ before: start - 1, limit: 100 }), 0)
      await assertStored(storage, [expired, sampleSession(2)])
      assert.equal(await storage.deleteExpired({ before: start, limit: 100 }), 1)
      await assertStored(storage, [sampleSession(2)], [expired, sampleSession(2)])
    },
    (name) => `deleteExpired includes ${name} equal to the instant, and excludes one a millisecond later`,
  ),
  'deleteExpired deletes a session a day after its idle expiry at the latest, and not before the idle expiry': async (
    storage,
  ) => {
    await storage.create({ ...session, idleExpiresAt: start, absoluteExpiresAt: start + 2 * dayMs })
    assert.equal(await storage.deleteExpired({ before: start - 1, limit: 1 }), 0)
    assert.equal(await storage.deleteExpired({ before: start + dayMs, limit: 1 }), 1)
    await assertStored(storage, [], [session])
  },
  'deleteExpired deletes sessions that were ended by end or endAllForUser, according to their endedAt': async (
    storage,
  ) => {
    const ofAnother = sampleSession(3, { userId: 2 })
    await createAll(storage, [...sampleSessions(2), ofAnother])
    await storage.end({ id: session.id, endedAt: start + 10, endReason: 'revoked' })
    await storage.endAllForUser({ ...userOf(session), endedAt: start + 20, endReason: 'revoked' })
    assert.equal(await storage.deleteExpired({ before: start + 10, limit: 100 }), 1)
    assert.equal(await storage.deleteExpired({ before: start + 19, limit: 100 }), 0)
    assert.equal(await storage.deleteExpired({ before: start + 20, limit: 100 }), 1)
    await assertStored(storage, [ofAnother], sampleSessions(3))
  },
  'deleteExpired deletes at most the limit per call, of sessions that ended or expired in any way': async (storage) => {
    const ways = [...Object.values(waysToExpire), idle]
    const sessions = sampleSessions(9).map((each, position) => ({ ...each, ...ways[position % ways.length] }))
    await createAll(storage, [...sessions, sampleSession(10)])
    for (const [count, left] of [[4, 5] as const, [4, 1] as const, [1, 0] as const, [0, 0] as const]) {
      assert.equal(await storage.deleteExpired({ before: start, limit: 4 }), count)
      assert.equal((await findAllStored(storage, sessions)).length, left)
    }
    await assertStored(storage, [sampleSession(10)])
  },
  'deleteExpired keeps a session if a rotation has moved its idle expiry past the given instant': async (storage) => {
    await storage.create({ ...session, ...idle })
    await storage.rotate(rotation)
    assert.equal(await storage.deleteExpired({ before: start, limit: 100 }), 0)
    await assertStored(storage, [rotated])
    assert.equal(await storage.deleteExpired({ before: rotation.idleExpiresAt + dayMs, limit: 100 }), 1)
  },
  'deleteExpired frees the id and selector hash of a deleted session, and no lookup or list finds the session': async (
    storage,
  ) => {
    await storage.create({ ...session, ...idle })
    assert.equal(await storage.deleteExpired({ before: start, limit: 1 }), 1)
    assert.equal(await storage.findBySelectorHash(session.selectorHash), undefined)
    assert.deepEqual(await storage.list({ ...userOf(session), limit: 1_000 }), [])
    await storage.create(session)
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
    assert.deepEqual(await listActive(storage), [session])
  },
  'the backend deletes no session earlier than a day after its absolute expiry': async (storage) => {
    const [early, late] = [Date.now() - 48 * 3_600_000, Date.now() - 23 * 3_600_000]
    const old = (userId: number) => sampleSession(userId, { userId, idleExpiresAt: early, absoluteExpiresAt: late })
    const next = { ...sampleRotation(old(1)), idleExpiresAt: late }
    const ending = { endedAt: early, endReason: 'revoked' }
    await createAll(storage, [old(1), old(2), old(3), old(4)])
    await storage.rotate(next)
    await storage.end({ id: old(3).id, ...ending })
    await storage.endAllForUser({ ...userOf(old(4)), ...ending })
    // The shortest time to live of most stores is a second.
    await setTimeout(1_500)
    await assertStored(storage, [toRotated(old(1), next), old(2), ...toAllEnded([old(3), old(4)], ending)])
    assert.deepEqual(await storage.findBySelectorHash(old(1).selectorHash), toRotated(old(1), next))
    assert.equal(await storage.endAllForUser({ ...userOf(old(1)), ...ending }), 1)
  },
})
