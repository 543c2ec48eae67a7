import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { assertRejectsWithoutBoundText } from '../error-texts.js'
import { added } from '../port-calls.js'
import { fullSession, sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored } from '../stored-sessions.js'

/** The requirements of `create`. */
export const creationCases = casesOf('creation', [
  {
    title: 'create stores every field, and lookups return each field unchanged',
    run: async (storage) => {
      const session = fullSession(1, { endedAt: start + 7, endReason: 'revoked' })
      await storage.create(session)
      await assertStored(storage, [session], [session])
      assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
    },
  },
  {
    title: 'create stores null in every nullable field, and lookups return null',
    run: async (storage) => {
      await storage.create(sampleSession(1))
      await assertStored(storage, [sampleSession(1)], [sampleSession(1)])
    },
  },
  {
    title: 'create stores empty text as empty text, not as null',
    run: async (storage) => {
      const session = sampleSession(1, { credentialVersion: '', userAgent: '', ipAddress: '', label: '' })
      await storage.create(session)
      await assertStored(storage, [session], [session])
    },
  },
  {
    title: 'create rejects a session whose id is taken, and keeps the first session',
    run: async (storage) => {
      const [first, second] = [sampleSession(1), sampleSession(2, { id: sampleSession(1).id })]
      await storage.create(first)
      await assert.rejects(storage.create(second))
      await assertStored(storage, [first], [first])
    },
  },
  {
    title: 'create rejects a session whose selector hash is taken, and keeps the first session',
    run: async (storage) => {
      const [first, second] = [sampleSession(1), sampleSession(2, { selectorHash: sampleSession(1).selectorHash })]
      await storage.create(first)
      await assert.rejects(storage.create(second))
      await assertStored(storage, [first, second], [first])
      assert.deepEqual(await storage.findBySelectorHash(first.selectorHash), first)
    },
  },
  {
    title: 'create rejects a session whose id or selector hash belongs to an ended session',
    run: async (storage) => {
      const ended = sampleSession(1, { endedAt: start, endReason: 'revoked' })
      await storage.create(ended)
      await assert.rejects(storage.create(sampleSession(1)))
      await assert.rejects(storage.create(sampleSession(2, { selectorHash: ended.selectorHash })))
      await assertStored(storage, [ended], [ended])
    },
  },
  {
    title: 'create stores nothing of a session that it rejects',
    run: async (storage) => {
      const { id, selectorHash } = sampleSession(1)
      await storage.create(sampleSession(1))
      await assert.rejects(storage.create(sampleSession(2, { selectorHash, userId: 2 })))
      await assert.rejects(storage.create(sampleSession(3, { id, userId: 2 })))
      assert.deepEqual(await storage.list(sampleUser(2), { activeAt: start, limit: 1_000 }), [])
      assert.equal(await storage.findBySelectorHash(sampleSession(3).selectorHash), undefined)
      await storage.create(sampleSession(2))
      await storage.create(sampleSession(3))
      await assertStored(storage, [sampleSession(2), sampleSession(3)], [sampleSession(2), sampleSession(3)])
    },
  },
  {
    title: 'no error contains a bound value when create rejects a duplicate',
    run: async (storage) => {
      await storage.create(added)
      await assertRejectsWithoutBoundText(() => storage.create(added))
      await assertRejectsWithoutBoundText(() => storage.create({ ...added, id: sampleSession(1).id }))
    },
  },
])
