import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleSessions, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, findAllStored } from '../stored-sessions.js'

const session = sampleSession(1)
const rotation = sampleRotation(session)
const rotated = toRotated(session, rotation)
const { rotatedAt } = rotation

/** The requirements of `clearRecentVerifiers`. */
export const clearingCases = casesOf('clearing', [
  {
    title: 'clearRecentVerifiers includes a rotatedAt equal to the instant, and excludes one a millisecond later',
    run: async (storage) => {
      await createAll(storage, [session, sampleSession(2)])
      await storage.rotate(rotation)
      assert.equal(await storage.clearRecentVerifiers(rotatedAt - 1, 10), 0)
      await assertStored(storage, [session], [rotated])
      assert.equal(await storage.clearRecentVerifiers(rotatedAt, 10), 1)
      await assertStored(storage, [session, sampleSession(2)], [{ ...rotated, recentVerifiers: [] }, sampleSession(2)])
      assert.equal(await storage.clearRecentVerifiers(rotatedAt, 10), 0)
    },
  },
  {
    title: 'clearRecentVerifiers keeps the recent verifiers of a session that rotated again after the instant',
    run: async (storage) => {
      await storage.create(session)
      await storage.rotate(rotation)
      const next = {
        ...rotation,
        expectedVerifierHash: rotation.verifierHash,
        verifierHash: 'next',
        rotatedAt: rotatedAt + 1,
      }
      await storage.rotate(next)
      assert.equal(await storage.clearRecentVerifiers(rotatedAt, 10), 0)
      await assertStored(storage, [session], [toRotated(session, next)])
      assert.equal(await storage.clearRecentVerifiers(rotatedAt + 1, 10), 1)
      assert.equal(await storage.rotate({ ...next, expectedVerifierHash: 'next', verifierHash: 'last' }), 'rotated')
      assert.equal(await storage.clearRecentVerifiers(rotatedAt + 1, 10), 1)
    },
  },
  {
    title: 'clearRecentVerifiers empties at most the limit of lists per call, including those of ended sessions',
    run: async (storage) => {
      const sessions = [...sampleSessions(5), sampleSession(6, { userId: 2 })].map(({ id }, number) =>
        fullSession(number + 1, { id, rotatedAt: start }),
      )
      await createAll(storage, sessions)
      await storage.end(session.id, { endedAt: start, endReason: 'revoked' })
      const counts = []
      for (const _ of [1, 2, 3]) counts.push(await storage.clearRecentVerifiers(start, 4))
      assert.deepEqual(counts, [4, 2, 0])
      const found = await findAllStored(storage, sessions)
      assert.deepEqual(
        found.flatMap(({ recentVerifiers }) => recentVerifiers),
        [],
      )
    },
  },
])
