import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import type { FoundSession, SessionRecord } from '@jwt-auth/core/adapter'
import { type Checks, checksOf, type Damage, type DamageSession, requirementsOf } from '../conformance-case.js'
import { assertNoBoundText, ending, known } from '../port-calls.js'
import { fullSession, sampleSession, start } from '../sample-session.js'
import { assertSessions, assertStored, createAll, findAllStored, toAllEnded, userOf } from '../stored-sessions.js'

const user = userOf(known)
const later = { endedAt: start + 99, endReason: 'later' }

const sampleMany = (from: number, createdAt: number) =>
  Array.from({ length: 100 }, (_, place) => sampleSession(from + place, { ...user, createdAt: createdAt + place }))

// More than an adapter handles in one batch. The damaged session is between the others.
const older = sampleMany(1_000, 0)
const newer = sampleMany(2_000, start + 1_000)

/**
 * Stores the sessions of one user, and damages one of them. Resolves to the function that repairs
 * it.
 */
const storeDamaged = async (storage: SessionStorage, damage: DamageSession): Promise<() => unknown> => {
  await createAll(storage, [...older, known, ...newer])
  return damage(known.id)
}

/** Asserts that every session has ended, the damaged one after its repair. */
const assertAllEnded = async (storage: SessionStorage, repair: () => unknown): Promise<void> => {
  await assertStored(storage, toAllEnded([...older, ...newer], ending))
  await assertKnownEnded(storage, repair)
}

/**
 * Asserts that the damaged session has ended. The end has emptied the list of recent verifiers, but
 * the repair may have restored the list.
 */
const assertKnownEnded = async (storage: SessionStorage, repair: () => unknown): Promise<void> => {
  await repair()
  const found = await findAllStored(storage, [known])
  assert.deepEqual(found, [{ ...known, ...ending, recentVerifiers: found[0]?.recentVerifiers }])
}

/**
 * Asserts that the readable sessions were found in their order, and the damaged ones in any order.
 */
const assertFound = (
  found: readonly FoundSession[],
  readable: readonly SessionRecord[],
  damaged: readonly SessionRecord[],
): void => {
  const unreadable = found.filter((each) => 'error' in each)
  const others = found.filter((each) => !('error' in each))
  assertSessions(others, readable)
  assert.deepEqual(new Set(unreadable.map(({ id }) => id)), new Set(damaged.map(({ id }) => id)))
  for (const { error } of unreadable) {
    assertNoBoundText(error)
    assert.ok(error instanceof Error, `expected an error, but found ${inspect(error)}`)
  }
}

const checks: Checks<[SessionStorage, DamageSession]> = {
  'findByIds resolves to the readable sessions, and to the ids and the errors of all sessions that cannot be read':
    async (storage, damage) => {
      const [damaged, readable] = [[known, fullSession(5)], fullSession(4)]
      await createAll(storage, [...damaged, readable])
      const repairs = []
      for (const { id } of damaged) repairs.push(await damage(id))
      const found = await storage.findByIds([known.id, readable.id, fullSession(5).id, 'missing'])
      assertFound(found, [readable], damaged)
      for (const repair of repairs) await repair()
      await assertStored(storage, [...damaged, readable])
    },
  'findBySelectorHash resolves to the id and the error of a session that cannot be read': async (storage, damage) => {
    await storage.create(known)
    const repair = await damage(known.id)
    const found = await storage.findBySelectorHash(known.selectorHash)
    assertFound(found === undefined ? [] : [found], [], [known])
    await repair()
    assert.deepEqual(await storage.findBySelectorHash(known.selectorHash), known)
  },
  'list resolves to the readable sessions, and to the id and the error of a session that cannot be read': async (
    storage,
    damage,
  ) => {
    const repair = await storeDamaged(storage, damage)
    const list = { activeAt: start, limit: 1_000 }
    const readable = [...newer.toReversed(), ...older.toReversed()]
    assertFound(await storage.list({ ...user, ...list }), readable, [known])
    await repair()
    assertFound(await storage.list({ ...user, ...list }), [...newer.toReversed(), known, ...older.toReversed()], [])
  },
  'list with an instant omits an ended session that cannot be read, and list without one contains its id': async (
    storage,
    damage,
  ) => {
    const active = sampleSession(5, user)
    await createAll(storage, [{ ...known, ...ending }, active])
    await damage(known.id)
    assert.deepEqual(await storage.list({ ...user, activeAt: start, limit: 10 }), [active])
    assertFound(await storage.list({ ...user, limit: 10 }), [active], [known])
  },
  'end ends a session that cannot be read, and keeps its time and reason': async (storage, damage) => {
    await storage.create(known)
    const repair = await damage(known.id)
    assert.deepEqual(await storage.end({ id: known.id, ...ending }), { outcome: 'ended' })
    assert.deepEqual(await storage.end({ id: known.id, ...later }), { outcome: 'already-ended', ...ending })
    await assertKnownEnded(storage, repair)
  },
  'endAllForUser ends all sessions of a user when one of them cannot be read, and that one too': async (
    storage,
    damage,
  ) => {
    const repair = await storeDamaged(storage, damage)
    assert.equal(await storage.endAllForUser({ ...user, ...ending }), older.length + 1 + newer.length)
    await assertAllEnded(storage, repair)
  },
  'endCreatedBefore ends all sessions when one of them cannot be read, and that one too': async (storage, damage) => {
    const repair = await storeDamaged(storage, damage)
    const created = { issuer: user.issuer, createdBefore: start + 10_000, limit: 150 }
    const counts = []
    for (const _ of [1, 2, 3]) counts.push(await storage.endCreatedBefore({ ...created, ...ending }))
    assert.deepEqual(counts, [150, 51, 0])
    await assertAllEnded(storage, repair)
  },
  'deleteExpired deletes all sessions when one of them cannot be read, and that one too': async (storage, damage) => {
    const expired = sampleSession(5, { absoluteExpiresAt: start })
    await createAll(storage, [{ ...known, ...ending }, expired])
    await damage(known.id)
    assert.equal(await storage.deleteExpired({ before: start, limit: 10 }), 2)
    await assertStored(storage, [], [known, expired])
  },
}

/** The requirements for sessions that cannot be read. */
export const damageCases = requirementsOf<[SessionStorage, Damage]>(
  'damage',
  checksOf(checks, (check) => async (storage, damage) => {
    if (damage !== 'nothing-to-damage') await check(storage, damage)
  }),
)
