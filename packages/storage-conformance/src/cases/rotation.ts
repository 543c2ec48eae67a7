import assert from 'node:assert/strict'
import type { SessionStorage } from '@jwt-auth/core'
import { toConfirmation } from '@jwt-auth/core/internal'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { dayMs, fullSession, sampleRotation, sampleSession, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, listActive, toEnded, userOf } from '../stored-sessions.js'

const session = fullSession(1)
const rotation = sampleRotation(session)
const ending = { endedAt: start + 1, endReason: 'revoked' }

/** Ways to end the session. */
const waysToEnd: Readonly<Record<string, (storage: SessionStorage) => Promise<unknown>>> = {
  'when the session was created as ended': (storage) => storage.create(toEnded(session, ending)),
  'after end, and the session stays ended': async (storage) => {
    await storage.create(session)
    await storage.end({ id: session.id, ...ending })
  },
  'after endAllForUser, and the session stays ended': async (storage) => {
    await storage.create(session)
    await storage.endAllForUser({ ...userOf(session), ...ending })
  },
}

/** The requirements of `rotate`. */
export const rotationCases = requirementsOf('rotation', {
  'rotate resolves to rotated when the verifier hash is the expected one, and writes only its fields': async (
    storage,
  ) => {
    await createAll(storage, [session, fullSession(2)])
    assert.equal(await storage.rotate(rotation), 'rotated')
    await assertStored(storage, [toRotated(session, rotation), fullSession(2)])
  },
  'rotate writes null when the user agent and the address of the rotation are null': async (storage) => {
    await storage.create(session)
    const unknown = { ...rotation, lastUserAgent: null, lastIpAddress: null }
    assert.equal(await storage.rotate(unknown), 'rotated')
    await assertStored(storage, [toRotated(session, unknown)])
  },
  'rotate replaces the whole list of recent verifiers in order, with 32 entries and with none': async (storage) => {
    await storage.create(session)
    const recentVerifiers = Array.from({ length: 32 }, (_, at) => (at * 7) % 32).map((number) => ({
      verifierHash: `recent-${number}`,
      salt: `salt-${number}`,
      replacedAt: start - number,
    }))
    const full = { ...rotation, recentVerifiers }
    assert.equal(await storage.rotate(full), 'rotated')
    await assertStored(storage, [toRotated(session, full)])
    const none = { ...full, expectedVerifierHash: full.verifierHash, verifierHash: 'third', recentVerifiers: [] }
    assert.equal(await storage.rotate(none), 'rotated')
    await assertStored(storage, [toRotated(session, none)])
  },
  'rotate moves the idle expiry back when the new idle expiry is earlier': async (storage) => {
    await storage.create(session)
    const earlier = { ...rotation, idleExpiresAt: start + 700_000 }
    assert.equal(await storage.rotate(earlier), 'rotated')
    await assertStored(storage, [toRotated(session, earlier)])
    assert.deepEqual(await listActive(storage, session, earlier.idleExpiresAt), [])
    assert.equal(await storage.deleteExpired({ before: earlier.idleExpiresAt - 1, limit: 1 }), 0)
    assert.equal(await storage.deleteExpired({ before: earlier.idleExpiresAt + dayMs, limit: 1 }), 1)
  },
  'rotate moves rotatedAt and lastUsedAt back when the new values are earlier, because a clock is behind': async (
    storage,
  ) => {
    await storage.create(session)
    await storage.rotate(rotation)
    const { verifierHash, rotatedAt, lastUsedAt } = rotation
    const back = { rotatedAt: rotatedAt - 1_000, lastUsedAt: lastUsedAt - 1_000 }
    const earlier = { ...rotation, ...back, expectedVerifierHash: verifierHash, verifierHash: 'earlier' }
    assert.equal(await storage.rotate(earlier), 'rotated')
    await assertStored(storage, [toRotated(session, earlier)])
  },
  'rotate resolves to stale and writes nothing when the verifier hash is not the expected one': async (storage) => {
    const another = { ...session, verifierHash: 'another' }
    await storage.create(another)
    assert.equal(await storage.rotate(rotation), 'stale')
    await assertStored(storage, [another])
  },
  'rotate resolves to rotated when the rotation changes no field': async (storage) => {
    await storage.create(session)
    assert.equal(await storage.rotate(toConfirmation(session)), 'rotated')
    await assertStored(storage, [session])
  },
  'rotate resolves to stale when the same rotation is repeated, and keeps the first rotation': async (storage) => {
    await storage.create(session)
    assert.equal(await storage.rotate(rotation), 'rotated')
    assert.equal(await storage.rotate({ ...rotation, lastUsedAt: start + 7 }), 'stale')
    await assertStored(storage, [toRotated(session, rotation)])
  },
  'rotate resolves to stale when the session does not exist, and creates no session': async (storage) => {
    await storage.create(sampleSession(2))
    assert.equal(await storage.rotate(rotation), 'stale')
    await assertStored(storage, [], [session])
  },
  ...checksOf(
    waysToEnd,
    (storeEnded) => async (storage) => {
      await storeEnded(storage)
      assert.equal(await storage.rotate(rotation), 'stale')
      await assertStored(storage, [toEnded(session, ending)])
    },
    (way) => `rotate resolves to stale ${way}`,
  ),
})
