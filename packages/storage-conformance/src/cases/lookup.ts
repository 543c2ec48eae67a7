import assert from 'node:assert/strict'
import { maxIdsInBatch } from '@jwt-auth/core/adapter'
import { casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, inOrderOfId } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }

/** The requirements of `findByIds`. */
export const batchLookupCases = casesOf('batch lookup', [
  {
    title: 'findByIds returns a promise',
    run: async (storage) => {
      const returned: unknown = storage.findByIds([sampleSession(1).id])
      assert.ok(typeof returned === 'object' && returned !== null && 'then' in returned)
      await returned
    },
  },
  {
    title: 'findByIds resolves to an empty list when it receives an empty list',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.findByIds([]), [])
    },
  },
  {
    title: 'findByIds resolves to the session when it receives one id',
    run: async (storage) => {
      await createAll(storage, sampleSessions(3))
      assert.deepEqual(await storage.findByIds([sampleSession(2).id]), [sampleSession(2)])
    },
  },
  {
    title: 'findByIds omits ids that no session has',
    run: async (storage) => {
      await createAll(storage, sampleSessions(2))
      assert.deepEqual(await storage.findByIds(['missing']), [])
      const found = await storage.findByIds([sampleSession(2).id, 'missing', sampleSession(1).id])
      assert.deepEqual(inOrderOfId(found), sampleSessions(2))
    },
  },
  {
    title: 'findByIds finds every session in a batch of 200 ids that has missing and repeated ids',
    run: async (storage) => {
      const stored = sampleSessions(12)
      await createAll(storage, stored)
      const ids = sampleSessions(100).map(({ id }) => id)
      const found = await storage.findByIds([...ids, ...ids.toReversed()])
      const byId = new Map(found.map((session) => [session.id, session]))
      assert.deepEqual(inOrderOfId([...byId.values()]), stored)
    },
  },
  {
    title: `findByIds finds every session in the largest batch that core sends, of ${maxIdsInBatch} ids`,
    run: async (storage) => {
      const sessions = sampleSessions(maxIdsInBatch)
      await Promise.all(sessions.map((session) => storage.create(session)))
      await assertStored(storage, sessions, sessions)
    },
  },
  {
    title: 'findByIds finds ended and expired sessions too',
    run: async (storage) => {
      const sessions = [sampleSession(1, ending), sampleSession(2, { idleExpiresAt: 1 }), sampleSession(3)]
      await createAll(storage, sessions)
      await assertStored(storage, sessions, sessions)
    },
  },
  {
    title: 'findByIds sees every write that resolved before the lookup started',
    run: async (storage) => {
      const session = sampleSession(1)
      await assertStored(storage, [session], [])
      await storage.create(session)
      await assertStored(storage, [session], [session])
      await storage.rotate(sampleRotation(session))
      await assertStored(storage, [session], [toRotated(session, sampleRotation(session))])
      await storage.end(session.id, ending)
      await assertStored(storage, [session], [{ ...toRotated(session, sampleRotation(session)), ...ending }])
      await storage.deleteExpired(ending.endedAt, 1)
      await assertStored(storage, [session], [])
    },
  },
])

/** The requirements of `findBySelectorHash`. */
export const selectorLookupCases = casesOf('selector lookup', [
  {
    title: 'findBySelectorHash resolves to undefined when no session has the selector hash',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.equal(await storage.findBySelectorHash(sampleSession(2).selectorHash), undefined)
      assert.equal(await storage.findBySelectorHash(sampleSession(1).id), undefined)
    },
  },
  {
    title: 'findBySelectorHash finds the one session with the selector hash, active or ended',
    run: async (storage) => {
      const ended = sampleSession(3, ending)
      await createAll(storage, [...sampleSessions(2), ended])
      assert.deepEqual(await storage.findBySelectorHash(sampleSession(2).selectorHash), sampleSession(2))
      assert.deepEqual(await storage.findBySelectorHash(ended.selectorHash), ended)
    },
  },
  {
    title: 'findBySelectorHash sees every write that resolved before the lookup started',
    run: async (storage) => {
      const session = sampleSession(1)
      const find = () => storage.findBySelectorHash(session.selectorHash)
      assert.equal(await find(), undefined)
      await storage.create(session)
      assert.deepEqual(await find(), session)
      await storage.rotate(sampleRotation(session))
      assert.deepEqual(await find(), toRotated(session, sampleRotation(session)))
      await storage.endAllForUser(sampleUser(session.userId), ending)
      assert.deepEqual(await find(), { ...toRotated(session, sampleRotation(session)), ...ending })
    },
  },
])
