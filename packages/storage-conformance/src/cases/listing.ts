import assert from 'node:assert/strict'
import type { SessionStorage } from '@jwt-auth/core'
import { maxSessionsInList } from '@jwt-auth/core/adapter'
import { requirementsOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleSessions, start, toRotated } from '../sample-session.js'
import { assertSessions, createAll, inOrderOfId, listActive, toAllEnded, userOf } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }

const user = userOf(sampleSession(1))
const [first, second, third] = [sampleSession(1), sampleSession(2), sampleSession(3)]
const createdEnded = sampleSession(4, { endedAt: start + 30, endReason: 'created as ended' })
const [older, newer] = [sampleSession(5), sampleSession(6)]
const expired = sampleSession(7, { absoluteExpiresAt: start + 10 })
const ends = [
  { endedAt: start + 8, endReason: 'issued before' },
  { endedAt: start + 40, endReason: 'revoked' },
  { endedAt: start + 20, endReason: 'session limit' },
] as const

/** Stores sessions of one user, and ends some of them in each way. */
const storeEnded = async (storage: SessionStorage): Promise<void> => {
  await createAll(storage, [createdEnded, first, second, third, newer, expired, older])
  await storage.endCreatedBefore({ issuer: user.issuer, createdBefore: start + 2, limit: 10, ...ends[0] })
  await storage.end({ id: second.id, ...ends[1] })
  await storage.end({ id: third.id, ...ends[2] })
}

/** The sessions of {@link storeEnded} in the order of a list. */
const inOrder = [
  expired,
  newer,
  older,
  { ...second, ...ends[1] },
  createdEnded,
  { ...third, ...ends[2] },
  { ...first, ...ends[0] },
]

/** The requirements of `list`. */
export const listingCases = requirementsOf('listing', {
  'list resolves to the complete sessions of the user, and to none of another user': async (storage) => {
    await createAll(storage, [fullSession(1), fullSession(2, { userId: 2 })])
    assert.deepEqual(await listActive(storage), [fullSession(1)])
    assert.deepEqual(await listActive(storage, { ...user, userId: 3 }), [])
  },
  'list sorts by createdAt, newest first, to the millisecond, regardless of the order of creation and use': async (
    storage,
  ) => {
    const oldest = sampleSession(5, { createdAt: 999, lastUsedAt: start + 9_999, rotatedAt: start + 9_999 })
    await createAll(storage, [2, 4, 1, 3].map((number) => sampleSession(number)).toSpliced(2, 0, oldest))
    assert.deepEqual(await listActive(storage), [...sampleSessions(4).toReversed(), oldest])
  },
  [`list resolves to ${maxSessionsInList} sessions, the most that core asks for, active or ended`]: async (storage) => {
    const many = sampleSessions(maxSessionsInList)
    const limit = maxSessionsInList
    await createAll(storage, many, 50)
    assertSessions(await storage.list({ ...user, activeAt: start, limit }), many.toReversed())
    assertSessions(await storage.list({ ...user, limit }), many.toReversed())
    const created = { issuer: user.issuer, createdBefore: start + 10_000, limit: 1_000 }
    for (const _ of [1, 2]) await storage.endCreatedBefore({ ...created, ...ending })
    assertSessions(inOrderOfId(await storage.list({ ...user, limit })), inOrderOfId(toAllEnded(many, ending)))
  },
  'list resolves to the newest sessions when the user has more sessions than the limit': async (storage) => {
    const sessions = sampleSessions(100)
    await createAll(storage, sessions)
    await storage.end({ id: sampleSession(99).id, ...ending })
    const active = sessions.toReversed().filter((session) => session.id !== sampleSession(99).id)
    for (const limit of [1, 2, 70, 99, 100]) {
      assertSessions(await storage.list({ ...user, activeAt: start, limit }), active.slice(0, limit))
    }
  },
  'list resolves to every session when several were created in the same millisecond': async (storage) => {
    const sessions = sampleSessions(5, { createdAt: start })
    await createAll(storage, sessions)
    assert.deepEqual(inOrderOfId(await listActive(storage)), sessions)
  },
  'list with an instant omits ended sessions, even when the end is later than the instant': async (storage) => {
    await createAll(storage, [...sampleSessions(3), sampleSession(4, { endedAt: 0, endReason: 'revoked' })])
    await storage.end({ id: second.id, ...ending })
    assert.deepEqual(await listActive(storage), [third, first])
    await storage.endAllForUser({ ...user, ...ending })
    assert.deepEqual(await listActive(storage), [])
  },
  'list includes a session a millisecond before each of its expiries, and omits it at the expiry': async (storage) => {
    const idle = sampleSession(1, { idleExpiresAt: start + 1_000 })
    const absolute = sampleSession(2, { absoluteExpiresAt: start + 2_000 })
    await createAll(storage, [idle, absolute])
    assert.deepEqual(await listActive(storage, user, start + 999), [absolute, idle])
    assert.deepEqual(await listActive(storage, user, start + 1_000), [absolute])
    assert.deepEqual(await listActive(storage, user, start + 1_999), [absolute])
    assert.deepEqual(await listActive(storage, user, start + 2_000), [])
  },
  'list includes a session until the idle expiry that a rotation wrote': async (storage) => {
    const session = sampleSession(1, { idleExpiresAt: start + 1 })
    const rotation = sampleRotation(session)
    await storage.create(session)
    await storage.rotate(rotation)
    assert.deepEqual(await listActive(storage, user, rotation.idleExpiresAt - 1), [toRotated(session, rotation)])
    assert.deepEqual(await listActive(storage, user, rotation.idleExpiresAt), [])
  },
  'list without an instant resolves to the unended sessions, newest first, then to the ended ones with their reasons, latest end first':
    async (storage) => {
      await storeEnded(storage)
      assert.deepEqual(await storage.list({ ...user, limit: 1_000 }), inOrder)
    },
  'list without an instant applies its limit to all sessions together, and cuts the end of the list': async (
    storage,
  ) => {
    await storeEnded(storage)
    for (const limit of [1, 3, 4, 6, 7])
      assert.deepEqual(await storage.list({ ...user, limit }), inOrder.slice(0, limit))
  },
  'list without an instant resolves to sessions that endAllForUser ended, of one user of one issuer only': async (
    storage,
  ) => {
    const sessions = [first, sampleSession(2, { issuer: `${user.issuer}/` }), sampleSession(3, { userId: 2 })]
    await createAll(storage, sessions)
    for (const session of sessions) await storage.endAllForUser({ ...userOf(session), ...ending })
    for (const session of sessions) {
      assert.deepEqual(await storage.list({ ...userOf(session), limit: 1_000 }), [{ ...session, ...ending }])
    }
  },
  'list without an instant resolves to ended and expired sessions until deleteExpired deletes them': async (
    storage,
  ) => {
    await storeEnded(storage)
    assert.equal(await storage.deleteExpired({ before: start + 20, limit: 10 }), 3)
    assert.deepEqual(await storage.list({ ...user, limit: 1_000 }), [newer, older, ...inOrder.slice(3, 5)])
  },
})
