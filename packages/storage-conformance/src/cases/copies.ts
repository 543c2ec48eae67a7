import assert from 'node:assert/strict'
import type { FoundSession } from '@jwt-auth/core'
import { casesOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored } from '../stored-sessions.js'

/** Changes a record and its nested objects. `Reflect.set` changes nothing in a frozen copy, which is valid too. */
const scribbleOn = (record: FoundSession | undefined): void => {
  assert.ok(record && 'recentVerifiers' in record)
  for (const recent of record.recentVerifiers) Reflect.set(recent, 'salt', 'scribbled')
  Reflect.set(record.recentVerifiers, 'length', 1)
  Reflect.set(record, 'label', 'scribbled')
  Reflect.set(record, 'endedAt', 1)
}

/** The requirements for objects that a method receives or resolves to. */
export const copyCases = casesOf('copies', [
  {
    title: 'create stores a copy of the session',
    run: async (storage) => {
      const given = fullSession(1)
      await storage.create(given)
      scribbleOn(given)
      await assertStored(storage, [given], [fullSession(1)])
    },
  },
  {
    title: 'rotate stores a copy of the recent verifiers',
    run: async (storage) => {
      const session = sampleSession(1)
      const recent = { verifierHash: session.verifierHash, salt: 'salt', replacedAt: start }
      const recentVerifiers = [recent]
      await storage.create(session)
      await storage.rotate({ ...sampleRotation(session), recentVerifiers })
      const expected = toRotated(session, { ...sampleRotation(session), recentVerifiers: [{ ...recent }] })
      recent.salt = 'scribbled'
      recentVerifiers.push({ ...recent, verifierHash: 'another' })
      await assertStored(storage, [session], [expected])
    },
  },
  {
    title: 'end and endAllForUser store copies of the ending',
    run: async (storage) => {
      const [one, two] = [sampleSession(1), sampleSession(2)]
      const ending = { endedAt: start, endReason: 'revoked' }
      await storage.create(one)
      await storage.create(two)
      await storage.end(one.id, ending)
      await storage.endAllForUser(sampleUser(1), ending)
      ending.endReason = 'scribbled'
      const kept = { endedAt: start, endReason: 'revoked' }
      await assertStored(
        storage,
        [one, two],
        [
          { ...one, ...kept },
          { ...two, ...kept },
        ],
      )
    },
  },
  {
    title: 'findByIds resolves to copies',
    run: async (storage) => {
      await storage.create(fullSession(1))
      const [found] = await storage.findByIds([fullSession(1).id])
      scribbleOn(found)
      await assertStored(storage, [fullSession(1)], [fullSession(1)])
    },
  },
  {
    title: 'findBySelectorHash resolves to a copy',
    run: async (storage) => {
      const { selectorHash } = fullSession(1)
      await storage.create(fullSession(1))
      scribbleOn(await storage.findBySelectorHash(selectorHash))
      assert.deepEqual(await storage.findBySelectorHash(selectorHash), fullSession(1))
      await assertStored(storage, [fullSession(1)], [fullSession(1)])
    },
  },
  {
    title: 'list resolves to copies',
    run: async (storage) => {
      await storage.create(fullSession(1))
      const [listed] = await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 })
      scribbleOn(listed)
      assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 }), [fullSession(1)])
      await assertStored(storage, [fullSession(1)], [fullSession(1)])
    },
  },
])
