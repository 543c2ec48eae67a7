import assert from 'node:assert/strict'
import { maxIdsInBatch } from '@jwt-auth/core/adapter'
import { requirementsOf } from '../conformance-case.js'
import { sampleSession, sampleSessions, start } from '../sample-session.js'
import { assertStored, createAll, inOrderOfId } from '../stored-sessions.js'

const ending = { endedAt: start + 9, endReason: 'revoked' }

/** The requirements of `findByIds` and `findBySelectorHash`. */
export const lookupCases = requirementsOf('lookup', {
  'findByIds returns a promise': async (storage) => {
    const returned: unknown = storage.findByIds([sampleSession(1).id])
    assert.ok(typeof returned === 'object' && returned !== null && 'then' in returned)
    await returned
  },
  'findByIds omits ids that no session has': async (storage) => {
    await createAll(storage, sampleSessions(3))
    for (const none of [[], ['missing']]) assert.deepEqual(await storage.findByIds(none), [])
    assert.deepEqual(await storage.findByIds([sampleSession(2).id]), [sampleSession(2)])
    const found = await storage.findByIds([sampleSession(2).id, 'missing', sampleSession(1).id])
    assert.deepEqual(inOrderOfId(found), sampleSessions(2))
  },
  [`findByIds finds every session in the largest batch that core sends, of ${maxIdsInBatch} ids`]: async (storage) => {
    const stored = sampleSessions(maxIdsInBatch)
    await createAll(storage, stored, 50)
    await assertStored(storage, stored)
  },
  'findByIds finds the session of an id that is repeated': async (storage) => {
    await storage.create(sampleSession(1))
    const found = await storage.findByIds([sampleSession(1).id, 'missing', sampleSession(1).id])
    assert.deepEqual(found[0], sampleSession(1))
  },
  'findBySelectorHash finds the one session with the selector hash, active or ended': async (storage) => {
    const ended = sampleSession(3, ending)
    await createAll(storage, [...sampleSessions(2), ended])
    assert.deepEqual(await storage.findBySelectorHash(sampleSession(2).selectorHash), sampleSession(2))
    assert.deepEqual(await storage.findBySelectorHash(ended.selectorHash), ended)
    assert.equal(await storage.findBySelectorHash(ended.id), undefined)
  },
})
