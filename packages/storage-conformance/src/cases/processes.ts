import assert from 'node:assert/strict'
import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import type { SharingCase } from '../conformance-case.js'
import { sampleRotation, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, inOrderOfId } from '../stored-sessions.js'
import { sharingCases } from './sharing.js'

const capability = 'processes'
// Many sessions, because the processes rarely reach one session in the same instant.
const sessions = sampleSessions(64)
const ending = { endedAt: start, endReason: 'revoked' }

/** Makes one call for each session through both storages, all of them concurrently. */
const callBoth = <One, Other>(
  callOne: (session: SessionRecord) => Promise<One>,
  callOther: (session: SessionRecord) => Promise<Other>,
): Promise<[One[], Other[]]> => Promise.all([Promise.all(sessions.map(callOne)), Promise.all(sessions.map(callOther))])

/** Returns the number of successful calls for each session. */
const countBoth = (one: readonly boolean[], other: readonly boolean[]): readonly number[] =>
  one.map((isFirst, position) => Number(isFirst) + Number(other[position]))

const onceEach = sessions.map(() => 1)

const raceCases: readonly Omit<SharingCase, 'capability'>[] = [
  {
    title: 'exactly one of two processes creates each of 64 sessions that both create concurrently',
    run: async (one, other) => {
      const create = (storage: SessionStorage, label: string) => (session: SessionRecord) =>
        storage.create({ ...session, label }).then(
          () => true,
          () => false,
        )
      const [first, second] = await callBoth(create(one, 'one'), create(other, 'other'))
      assert.deepEqual(countBoth(first, second), onceEach)
      const expected = sessions.map((session, position) => ({ ...session, label: first[position] ? 'one' : 'other' }))
      await assertStored(one, sessions, expected)
      await assertStored(other, sessions, expected)
    },
  },
  {
    title: 'exactly one of two processes rotates each of 64 sessions that both rotate concurrently',
    run: async (one, other) => {
      await createAll(one, sessions)
      const rotationBy = (name: string) => (session: SessionRecord) => sampleRotation(session, `${name}-${session.id}`)
      const [first, second] = await callBoth(
        (session) => one.rotate(rotationBy('one')(session)),
        (session) => other.rotate(rotationBy('other')(session)),
      )
      const isRotated = (outcome: string) => outcome === 'rotated'
      assert.deepEqual(countBoth(first.map(isRotated), second.map(isRotated)), onceEach)
      const expected = sessions.map((session, position) =>
        toRotated(session, rotationBy(first[position] === 'rotated' ? 'one' : 'other')(session)),
      )
      await assertStored(one, sessions, expected)
      await assertStored(other, sessions, expected)
    },
  },
  {
    title: 'exactly one of two processes ends each of 64 sessions that both end concurrently',
    run: async (one, other) => {
      await createAll(one, sessions)
      const end = (storage: SessionStorage, endReason: string) => async (session: SessionRecord) =>
        (await storage.end(session.id, { ...ending, endReason })).outcome === 'ended'
      const [first, second] = await callBoth(end(one, 'one'), end(other, 'other'))
      assert.deepEqual(countBoth(first, second), onceEach)
      const toEnded = (session: SessionRecord, position: number) => ({
        ...session,
        ...ending,
        endReason: first[position] ? 'one' : 'other',
      })
      await assertStored(other, sessions, sessions.map(toEnded))
    },
  },
  {
    title: 'each of 64 sessions stays ended when one process rotates and another ends it concurrently',
    run: async (one, other) => {
      await createAll(one, sessions)
      const [rotations, ends] = await callBoth(
        (session) => one.rotate(sampleRotation(session)),
        (session) => other.end(session.id, ending),
      )
      assert.deepEqual(new Set(ends.map(({ outcome }) => outcome)), new Set(['ended']))
      const toEnded = (session: SessionRecord, position: number) => ({
        ...(rotations[position] === 'rotated' ? toRotated(session, sampleRotation(session)) : session),
        ...ending,
      })
      await assertStored(one, sessions, sessions.map(toEnded))
    },
  },
  {
    title: 'two processes that end all sessions of a user concurrently count each session once',
    run: async (one, other) => {
      await createAll(one, sessions)
      const counts = await Promise.all([
        one.endAllForUser(sampleUser(1), ending),
        other.endAllForUser(sampleUser(1), ending),
      ])
      assert.equal(counts[0] + counts[1], sessions.length)
      assert.deepEqual(await one.list(sampleUser(1), { activeAt: start, limit: 1_000 }), [])
    },
  },
  {
    title: 'each of 64 expired sessions is either rotated by one process or deleted by another',
    run: async (one, other) => {
      const expired = sampleSessions(64, { idleExpiresAt: start })
      await createAll(one, expired)
      const [outcomes, counts] = await Promise.all([
        Promise.all(expired.map((session) => one.rotate(sampleRotation(session)))),
        Promise.all(expired.map(() => other.deleteExpired(start, 1))),
      ])
      const kept = expired.filter((_, position) => outcomes[position] === 'rotated')
      const expected = kept.map((session) => toRotated(session, sampleRotation(session)))
      const found = await other.findByIds(expired.map(({ id }) => id))
      assert.deepEqual(inOrderOfId(found), inOrderOfId(expected))
      const deleted = counts.reduce((sum, count) => sum + count, 0)
      assert.equal(deleted, expired.length - kept.length)
    },
  },
]

/**
 * The requirements for two processes that share one backend: the sharing cases, and races. Each process has its own copy of the
 * adapter's code, so that caches and locks in the memory of a process do not hide a mistake. Start the processes with
 * `startStorageProcesses`.
 *
 * @example
 * ```ts
 * for (const { title, run } of processCases) {
 *   test(title, async () => run(...(await processes.open(await emptyDatabaseUrl()))))
 * }
 * ```
 */
export const processCases: readonly SharingCase[] = [
  ...sharingCases.map(({ title, run }): SharingCase => ({ capability, title: `${title}, in two processes`, run })),
  ...raceCases.map((each): SharingCase => ({ capability, ...each })),
]
