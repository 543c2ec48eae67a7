import assert from 'node:assert/strict'
import { maxIdsInBatch } from '@jwt-auth/core/adapter'
import { requirementsOf } from '../conformance-case.js'
import { sampleSession, sampleSessions, start } from '../sample-session.js'
import { assertStored, createAll, createMany, inOrderOfId } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }

/** The requirements of `findByIds` and `findBySelectorHash`. */
export const lookupCases = requirementsOf('lookup', {
  'findByIds returns a promise': async (storage) => {
    const returned: unknown = storage.findByIds([sampleSession(1).id])
    assert.ok(typeof returned === 'object' && returned !== null && 'then' in returned)
    await returned
  },
  'findByIds resolves to an empty list when it receives an empty list': async (storage) => {
    await storage.create(sampleSession(1))
    assert.deepEqual(await storage.findByIds([]), [])
  },
  'findByIds omits ids that no session has': async (storage) => {
    await createAll(storage, sampleSessions(3))
    assert.deepEqual(await storage.findByIds(['missing']), [])
    assert.deepEqual(await storage.findByIds([sampleSession(2).id]), [sampleSession(2)])
    const found = await storage.findByIds([sampleSession(2).id, 'missing', sampleSession(1).id])
    assert.deepEqual(inOrderOfId(found), sampleSessions(2))
  },
  'findByIds finds every session in a batch of 200 ids that has missing and repeated ids': async (storage) => {
    const stored = sampleSessions(12)
    await createAll(storage, stored)
    const ids = sampleSessions(100).map(({ id }) => id)
    const found = await storage.findByIds([...ids, ...ids.toReversed()])
    const byId = new Map(found.map((session) => [session.id, session]))
    assert.deepEqual(inOrderOfId([...byId.values()]), stored)
  },
  [`findByIds finds every session in the largest batch that core sends, of ${maxIdsInBatch} ids`]: async (storage) => {
    const sessions = sampleSessions(maxIdsInBatch)
    await createMany(storage, sessions)
    await assertStored(storage, sessions)
  },
  'findByIds finds ended and expired sessions too': async (storage) => {
    const sessions = [sampleSession(1, ending), sampleSession(2, { idleExpiresAt: 1 }), sampleSession(3)]
    await createAll(storage, sessions)
    await assertStored(storage, sessions)
  },
  'findBySelectorHash finds the one session with the selector hash, active or ended': async (storage) => {
    const ended = sampleSession(3, ending)
    await createAll(storage, [...sampleSessions(2), ended])
    assert.deepEqual(await storage.findBySelectorHash(sampleSession(2).selectorHash), sampleSession(2))
    assert.deepEqual(await storage.findBySelectorHash(ended.selectorHash), ended)
  },
  'findBySelectorHash resolves to undefined when no session has the selector hash': async (storage) => {
    await storage.create(sampleSession(1))
    assert.equal(await storage.findBySelectorHash(sampleSession(2).selectorHash), undefined)
    assert.equal(await storage.findBySelectorHash(sampleSession(1).id), undefined)
  },
})
