import assert from 'node:assert/strict'
import { mostIdsInBatch } from '@jwt-auth/core'
import { casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, inOrderOfId } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }

/** What `findByIds` promises. */
export const batchLookupCases = casesOf('batch lookup', [
  {
    title: 'answers an empty list with an empty list',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.deepEqual(await storage.findByIds([]), [])
    },
  },
  {
    title: 'answers a list of one id with that session',
    run: async (storage) => {
      await createAll(storage, sampleSessions(3))
      assert.deepEqual(await storage.findByIds([sampleSession(2).id]), [sampleSession(2)])
    },
  },
  {
    title: 'leaves missing ids out of the answer',
    run: async (storage) => {
      await createAll(storage, sampleSessions(2))
      assert.deepEqual(await storage.findByIds(['missing']), [])
      const found = await storage.findByIds([sampleSession(2).id, 'missing', sampleSession(1).id])
      assert.deepEqual(inOrderOfId(found), sampleSessions(2))
    },
  },
  {
    title: 'finds each session of a batch of 200 ids, some of them missing or asked for twice',
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
    title: `finds each session of the largest batch that the service asks for, of ${mostIdsInBatch} ids`,
    run: async (storage) => {
      const sessions = sampleSessions(mostIdsInBatch)
      await Promise.all(sessions.map((session) => storage.create(session)))
      await assertStored(storage, sessions, sessions)
    },
  },
  {
    title: 'answers a batch with sessions that have ended or expired as well',
    run: async (storage) => {
      const sessions = [sampleSession(1, ending), sampleSession(2, { idleExpiresAt: 1 }), sampleSession(3)]
      await createAll(storage, sessions)
      await assertStored(storage, sessions, sessions)
    },
  },
  {
    title: 'shows what was written to every batch lookup that starts after the write was answered',
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

/** What `findBySelectorHash` promises. */
export const selectorLookupCases = casesOf('selector lookup', [
  {
    title: 'answers undefined for a selector hash nobody has',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      assert.equal(await storage.findBySelectorHash(sampleSession(2).selectorHash), undefined)
      assert.equal(await storage.findBySelectorHash(sampleSession(1).id), undefined)
    },
  },
  {
    title: 'finds the one session with a selector hash among others, also when it has ended',
    run: async (storage) => {
      const ended = sampleSession(3, ending)
      await createAll(storage, [...sampleSessions(2), ended])
      assert.deepEqual(await storage.findBySelectorHash(sampleSession(2).selectorHash), sampleSession(2))
      assert.deepEqual(await storage.findBySelectorHash(ended.selectorHash), ended)
    },
  },
  {
    title: 'shows what was written to every selector lookup that starts after the write was answered',
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
