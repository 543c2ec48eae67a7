import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

/** The requirements for text that a method looks up. */
export const comparisonCases = casesOf('text', [
  {
    title: 'findByIds, rotate and end compare ids exactly, character by character',
    run: async (storage) => {
      const [lower, upper] = [sampleSession(1, { id: 'session-a' }), sampleSession(2, { id: 'session-A' })]
      const others = ['session-á', 'session-a ', ' session-a', 'session-ａ', 'session-', 'session_a', 'session-%']
      await createAll(storage, [lower, upper])
      assert.deepEqual(await storage.findByIds([lower.id]), [lower])
      assert.deepEqual(await storage.findByIds([upper.id]), [upper])
      assert.deepEqual(await storage.findByIds(others), [])
      for (const id of others) {
        assert.deepEqual(await storage.end(id, { endedAt: start, endReason: 'revoked' }), { outcome: 'not-found' })
        assert.equal(await storage.rotate({ ...sampleRotation(lower), sessionId: id }), 'stale')
      }
      await assertStored(storage, [lower, upper], [lower, upper])
    },
  },
  {
    title: 'findByIds, rotate and end match no session when the id differs only in case',
    run: async (storage) => {
      const [session, id] = [sampleSession(1, { id: 'session-a' }), 'session-A']
      await storage.create(session)
      assert.deepEqual(await storage.findByIds([id]), [])
      assert.equal(await storage.rotate({ ...sampleRotation(session), sessionId: id }), 'stale')
      assert.deepEqual(await storage.end(id, { endedAt: start, endReason: 'revoked' }), { outcome: 'not-found' })
      await assertStored(storage, [session], [session])
    },
  },
  {
    title: 'findBySelectorHash compares selector hashes exactly, character by character',
    run: async (storage) => {
      const [lower, upper] = [
        sampleSession(1, { selectorHash: 'hash-a' }),
        sampleSession(2, { selectorHash: 'hash-A' }),
      ]
      await createAll(storage, [lower, upper])
      assert.deepEqual(await storage.findBySelectorHash('hash-a'), lower)
      assert.deepEqual(await storage.findBySelectorHash('hash-A'), upper)
      for (const selectorHash of ['hash-á', 'hash-a ', ' hash-a', 'hash-ａ', 'hash-', 'hash_a', 'hash-%']) {
        assert.equal(await storage.findBySelectorHash(selectorHash), undefined)
      }
    },
  },
  {
    title: 'rotate compares verifier hashes exactly, character by character',
    run: async (storage) => {
      const session = sampleSession(1, { verifierHash: 'hash-a' })
      await storage.create(session)
      for (const expectedVerifierHash of ['hash-A', 'hash-á', 'hash-a ', ' hash-a', 'hash-', 'hash_a', 'hash-%']) {
        assert.equal(await storage.rotate({ ...sampleRotation(session), expectedVerifierHash }), 'stale')
      }
      await assertStored(storage, [session], [session])
    },
  },
])
