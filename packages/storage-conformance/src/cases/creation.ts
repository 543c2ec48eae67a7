import assert from 'node:assert/strict'
import { requirementsOf } from '../conformance-case.js'
import { added, assertRejectsWithoutBoundText } from '../port-calls.js'
import { fullSession, sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, listActive } from '../stored-sessions.js'

/** The requirements of `create`. */
export const creationCases = requirementsOf('creation', {
  'create stores every field, and lookups return each field unchanged': async (storage) => {
    const session = fullSession(1, { endedAt: start + 7, endReason: 'revoked' })
    await storage.create(session)
    await assertStored(storage, [session])
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
  },
  'create stores null in every nullable field, and empty text as empty text': async (storage) => {
    const empty = sampleSession(2, { credentialVersion: '', userAgent: '', ipAddress: '', label: '' })
    await storage.create(sampleSession(1))
    await storage.create(empty)
    await assertStored(storage, [sampleSession(1), empty])
  },
  'create rejects a session whose id is taken, and keeps the first session': async (storage) => {
    const first = sampleSession(1)
    await storage.create(first)
    await assert.rejects(storage.create(sampleSession(2, { id: first.id })))
    await assertStored(storage, [first])
  },
  'create rejects a session whose selector hash is taken, and keeps the first session': async (storage) => {
    const [first, second] = [sampleSession(1), sampleSession(2, { selectorHash: sampleSession(1).selectorHash })]
    await storage.create(first)
    await assert.rejects(storage.create(second))
    await assertStored(storage, [first], [first, second])
    assert.deepEqual(await storage.findBySelectorHash(first.selectorHash), first)
  },
  'create rejects a session whose id or selector hash belongs to an ended session': async (storage) => {
    const ended = sampleSession(1, { endedAt: start, endReason: 'revoked' })
    await storage.create(ended)
    await assert.rejects(storage.create(sampleSession(1)))
    await assert.rejects(storage.create(sampleSession(2, { selectorHash: ended.selectorHash })))
    await assertStored(storage, [ended])
  },
  'create stores nothing of a session that it rejects': async (storage) => {
    const { id, selectorHash } = sampleSession(1)
    await storage.create(sampleSession(1))
    await assert.rejects(storage.create(sampleSession(2, { selectorHash, userId: 2 })))
    await assert.rejects(storage.create(sampleSession(3, { id, userId: 2 })))
    assert.deepEqual(await listActive(storage, sampleUser(2)), [])
    assert.equal(await storage.findBySelectorHash(sampleSession(3).selectorHash), undefined)
    await storage.create(sampleSession(2))
    await storage.create(sampleSession(3))
    await assertStored(storage, [sampleSession(2), sampleSession(3)])
  },
  'no error contains a bound value when create rejects a duplicate': async (storage) => {
    await storage.create(added)
    await assertRejectsWithoutBoundText(() => storage.create(added))
    await assertRejectsWithoutBoundText(() => storage.create({ ...added, id: sampleSession(1).id }))
  },
})
