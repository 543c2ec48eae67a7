import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const session = fullSession(1)
const rotation = sampleRotation(session)
const ending = { endedAt: start + 1, endReason: 'revoked' }

/** The requirements of `rotate`. */
export const rotationCases = casesOf('rotation', [
  {
    title:
      'rotate resolves to rotated when the verifier hash is the expected one, and writes only the fields of the rotation',
    run: async (storage) => {
      await createAll(storage, [session, fullSession(2)])
      assert.equal(await storage.rotate(rotation), 'rotated')
      await assertStored(storage, [session, fullSession(2)], [toRotated(session, rotation), fullSession(2)])
    },
  },
  {
    title: 'rotate writes null when the user agent and the address of the rotation are null',
    run: async (storage) => {
      await storage.create(session)
      const unknown = { ...rotation, lastUserAgent: null, lastIpAddress: null }
      assert.equal(await storage.rotate(unknown), 'rotated')
      await assertStored(storage, [session], [toRotated(session, unknown)])
    },
  },
  {
    title: 'rotate replaces the whole list of recent verifiers in order, with eight entries and with none',
    run: async (storage) => {
      await storage.create(session)
      const recentVerifiers = [3, 1, 4, 8, 5, 9, 2, 6].map((number) => ({
        verifierHash: `recent-${number}`,
        salt: `salt-${number}`,
        replacedAt: start - number,
      }))
      const eight = { ...rotation, recentVerifiers }
      assert.equal(await storage.rotate(eight), 'rotated')
      await assertStored(storage, [session], [toRotated(session, eight)])
      const none = { ...eight, expectedVerifierHash: eight.verifierHash, verifierHash: 'third', recentVerifiers: [] }
      assert.equal(await storage.rotate(none), 'rotated')
      await assertStored(storage, [session], [toRotated(session, none)])
    },
  },
  {
    title: 'rotate moves the idle expiry back when the new idle expiry is earlier',
    run: async (storage) => {
      await storage.create(session)
      const earlier = { ...rotation, idleExpiresAt: start + 700_000 }
      assert.equal(await storage.rotate(earlier), 'rotated')
      await assertStored(storage, [session], [toRotated(session, earlier)])
      assert.deepEqual(await storage.list(session, { activeAt: earlier.idleExpiresAt, limit: 1_000 }), [])
      assert.equal(await storage.deleteExpired(earlier.idleExpiresAt - 1, 1), 0)
      assert.equal(await storage.deleteExpired(earlier.idleExpiresAt, 1), 1)
    },
  },
  {
    title: 'rotate moves rotatedAt and lastUsedAt back when the new values are earlier, because a clock is behind',
    run: async (storage) => {
      await storage.create(session)
      await storage.rotate(rotation)
      const { verifierHash, rotatedAt, lastUsedAt } = rotation
      const back = { rotatedAt: rotatedAt - 1_000, lastUsedAt: lastUsedAt - 1_000 }
      const earlier = { ...rotation, ...back, expectedVerifierHash: verifierHash, verifierHash: 'earlier' }
      assert.equal(await storage.rotate(earlier), 'rotated')
      await assertStored(storage, [session], [toRotated(session, earlier)])
      assert.equal(await storage.clearRecentVerifiers(earlier.rotatedAt - 1, 10), 0)
      assert.equal(await storage.clearRecentVerifiers(earlier.rotatedAt, 10), 1)
    },
  },
  {
    title: 'rotate resolves to stale and writes nothing when the verifier hash is not the expected one',
    run: async (storage) => {
      const another = { ...session, verifierHash: 'another' }
      await storage.create(another)
      assert.equal(await storage.rotate(rotation), 'stale')
      await assertStored(storage, [another], [another])
    },
  },
  {
    title: 'rotate resolves to stale when the same rotation is repeated, and keeps the first rotation',
    run: async (storage) => {
      await storage.create(session)
      assert.equal(await storage.rotate(rotation), 'rotated')
      assert.equal(await storage.rotate({ ...rotation, lastUsedAt: start + 7 }), 'stale')
      await assertStored(storage, [session], [toRotated(session, rotation)])
    },
  },
  {
    title: 'rotate resolves to rotated when the rotation changes no field',
    run: async (storage) => {
      await storage.create(session)
      const { verifierHash, recentVerifiers, rotatedAt, lastUsedAt, idleExpiresAt, lastUserAgent, lastIpAddress } =
        session
      const same = {
        verifierHash,
        recentVerifiers,
        rotatedAt,
        lastUsedAt,
        idleExpiresAt,
        lastUserAgent,
        lastIpAddress,
      }
      assert.equal(
        await storage.rotate({ sessionId: session.id, expectedVerifierHash: verifierHash, ...same }),
        'rotated',
      )
      await assertStored(storage, [session], [session])
    },
  },
  {
    title: 'rotate resolves to stale when the session does not exist, and creates no session',
    run: async (storage) => {
      await storage.create(sampleSession(2))
      assert.equal(await storage.rotate(rotation), 'stale')
      await assertStored(storage, [session], [])
    },
  },
  {
    title: 'rotate resolves to stale when the session was created as ended',
    run: async (storage) => {
      const ended = { ...session, ...ending }
      await storage.create(ended)
      assert.equal(await storage.rotate(rotation), 'stale')
      await assertStored(storage, [session], [ended])
    },
  },
  {
    title: 'rotate resolves to stale after end, and the session stays ended',
    run: async (storage) => {
      await storage.create(session)
      await storage.end(session.id, ending)
      assert.equal(await storage.rotate(rotation), 'stale')
      await assertStored(storage, [session], [{ ...session, ...ending }])
    },
  },
  {
    title: 'rotate resolves to stale after endAllForUser, and the session stays ended',
    run: async (storage) => {
      await storage.create(session)
      await storage.endAllForUser(sampleUser(session.userId), ending)
      assert.equal(await storage.rotate(rotation), 'stale')
      await assertStored(storage, [session], [{ ...session, ...ending }])
    },
  },
])
