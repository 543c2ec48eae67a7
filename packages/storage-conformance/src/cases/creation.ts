import assert from 'node:assert/strict'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { added, assertRejectsWithoutBoundText, ending } from '../port-calls.js'
import { fullSession, sampleRotation, sampleSession, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, listActive, toEnded } from '../stored-sessions.js'

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
  'attributes stay the same through a rotation and an end, and null stays null': async (storage) => {
    for (const [number, attributes] of ['{"act":{"sub":"admin-7"},"note":"\\u0000 é"}', null].entries()) {
      const session = sampleSession(number, { attributes })
      const rotated = toRotated(session, sampleRotation(session))
      await storage.create(session)
      await storage.rotate(sampleRotation(session))
      assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), rotated)
      assert.deepEqual(await listActive(storage), [rotated])
      await storage.end({ id: session.id, ...ending })
      await assertStored(storage, [toEnded(rotated, ending)])
    }
  },
  ...checksOf(
    { id: 'id', 'selector hash': 'selectorHash' } as const,
    (field) => async (storage) => {
      const kept = [sampleSession(1), sampleSession(2, { endedAt: start, endReason: 'revoked' })]
      const others = [sampleSession(3), sampleSession(4)]
      await createAll(storage, kept)
      for (const [position, other] of others.entries()) {
        await assert.rejects(storage.create({ ...other, userId: 2, [field]: kept[position]?.[field] }))
        assert.equal(await storage.findBySelectorHash(other.selectorHash), undefined)
      }
      await assertStored(storage, kept, [...kept, ...others])
      assert.deepEqual(await storage.findBySelectorHash(sampleSession(1).selectorHash), sampleSession(1))
      assert.deepEqual(await listActive(storage, sampleUser(2)), [])
      await createAll(storage, others)
      await assertStored(storage, others)
    },
    (name) => `create rejects a session whose ${name} an active or ended session has, and stores nothing of it`,
  ),
  'no error contains a bound value when create rejects a duplicate': async (storage) => {
    await storage.create(added)
    await assertRejectsWithoutBoundText(() => storage.create(added))
    await assertRejectsWithoutBoundText(() => storage.create({ ...added, id: sampleSession(1).id }))
  },
})
