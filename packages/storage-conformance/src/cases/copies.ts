import assert from 'node:assert/strict'
import type { SessionStorage } from '@jwt-auth/core'
import type { FoundSession } from '@jwt-auth/core/adapter'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, listActive, toAllEnded } from '../stored-sessions.js'

/**
 * Changes a record and its nested objects. `Reflect.set` changes nothing in a frozen copy, which is
 * valid too.
 */
const scribbleOn = (record: FoundSession | undefined): void => {
  assert.ok(record && 'recentVerifiers' in record)
  for (const recent of record.recentVerifiers) Reflect.set(recent, 'salt', 'scribbled')
  Reflect.set(record.recentVerifiers, 'length', 1)
  Reflect.set(record, 'label', 'scribbled')
  Reflect.set(record, 'endedAt', 1)
}

const lookups: Readonly<Record<string, (storage: SessionStorage) => Promise<FoundSession | undefined>>> = {
  'findByIds resolves to copies': async (storage) => (await storage.findByIds([fullSession(1).id]))[0],
  'findBySelectorHash resolves to a copy': (storage) => storage.findBySelectorHash(fullSession(1).selectorHash),
  'list resolves to copies': async (storage) => (await listActive(storage))[0],
}

/** The requirements for objects that a method receives or resolves to. */
export const copyCases = requirementsOf('copies', {
  'create stores a copy of the session': async (storage) => {
    const given = fullSession(1)
    await storage.create(given)
    scribbleOn(given)
    await assertStored(storage, [fullSession(1)])
  },
  'rotate stores a copy of the recent verifiers': async (storage) => {
    const session = sampleSession(1)
    const recent = { verifierHash: session.verifierHash, salt: 'salt', replacedAt: start }
    const recentVerifiers = [recent]
    await storage.create(session)
    await storage.rotate({ ...sampleRotation(session), recentVerifiers })
    const expected = toRotated(session, { ...sampleRotation(session), recentVerifiers: [{ ...recent }] })
    recent.salt = 'scribbled'
    recentVerifiers.push({ ...recent, verifierHash: 'another' })
    await assertStored(storage, [expected])
  },
  'end and endAllForUser store copies of the ending': async (storage) => {
    const sessions = [sampleSession(1), sampleSession(2)]
    const ending = { endedAt: start, endReason: 'revoked' }
    const expected = toAllEnded(sessions, ending)
    await createAll(storage, sessions)
    await storage.end({ id: sampleSession(1).id, ...ending })
    await storage.endAllForUser({ ...sampleUser(1), ...ending })
    ending.endReason = 'scribbled'
    await assertStored(storage, expected)
  },
  ...checksOf(lookups, (find) => async (storage) => {
    await storage.create(fullSession(1))
    scribbleOn(await find(storage))
    assert.deepEqual(await find(storage), fullSession(1))
    await assertStored(storage, [fullSession(1)])
  }),
})
