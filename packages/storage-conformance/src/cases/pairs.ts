import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, findAllStored } from '../stored-sessions.js'

const sessions = sampleSessions(16)
const ending = { endedAt: start + 9, endReason: 'one' }
const endingAll = { endedAt: start + 99, endReason: 'all' }

type Call<Result> = () => Promise<Result>

/** Makes two concurrent calls. The position decides which call starts first. */
const makeBoth = <One, Other>(position: number, one: Call<One>, other: Call<Other>): Promise<[One, Other]> => {
  if (position % 2 === 0) return Promise.all([one(), other()])
  const second = other()
  return Promise.all([one(), second])
}

/** The requirements for concurrent calls of two methods on one session. */
export const pairCases = casesOf('concurrency', [
  {
    title: 'a session stays ended when rotate and end run concurrently, in either order',
    run: async (storage) => {
      await createAll(storage, sessions)
      const results = await Promise.all(
        sessions.map((session, position) =>
          makeBoth(
            position,
            () => storage.rotate(sampleRotation(session)),
            () => storage.end(session.id, ending),
          ),
        ),
      )
      const expected = sessions.map((session, position) => ({
        ...(results[position]?.[0] === 'rotated' ? toRotated(session, sampleRotation(session)) : session),
        ...ending,
      }))
      await assertStored(storage, sessions, expected)
      assert.deepEqual(new Set(results.map(([, { outcome }]) => outcome)), new Set(['ended']))
    },
  },
  {
    title: 'a session stays ended when rotate and endAllForUser run concurrently, in either order',
    run: async (storage) => {
      await createAll(storage, sessions)
      const rotate = (from: number, to: number) =>
        Promise.all(sessions.slice(from, to).map((session) => storage.rotate(sampleRotation(session))))
      const [early, count, late] = await Promise.all([
        rotate(0, 8),
        storage.endAllForUser(sampleUser(1), endingAll),
        rotate(8, 16),
      ])
      const expected = [...early, ...late].map((outcome, position) => {
        const session = sampleSession(position + 1)
        return { ...(outcome === 'rotated' ? toRotated(session, sampleRotation(session)) : session), ...endingAll }
      })
      await assertStored(storage, sessions, expected)
      assert.equal(count, sessions.length)
    },
  },
  {
    title: 'a session is either ended or listed when create and endAllForUser run concurrently',
    run: async (storage) => {
      const results = await Promise.all(
        sessions.map((session, position) =>
          makeBoth(
            position,
            () => storage.create(session),
            () => storage.endAllForUser(sampleUser(1), endingAll),
          ),
        ),
      )
      const found = await findAllStored(storage, sessions)
      const ended = found.filter(({ endedAt }) => endedAt !== null)
      const active = await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 })
      const total = results.reduce((sum, [, count]) => sum + count, 0)
      assert.equal(total, ended.length)
      const expected = sessions.map((session) =>
        active.some(({ id }) => id === session.id) ? session : { ...session, ...endingAll },
      )
      await assertStored(storage, sessions, expected)
    },
  },
  {
    title: 'a session is either rotated or deleted when rotate and deleteExpired run concurrently',
    run: async (storage) => {
      const expired = sampleSessions(16, { idleExpiresAt: start })
      await createAll(storage, expired)
      const results = await Promise.all(
        expired.map((session, position) =>
          makeBoth(
            position,
            () => storage.rotate(sampleRotation(session)),
            () => storage.deleteExpired(start, 1),
          ),
        ),
      )
      const kept = expired.filter((_, position) => results[position]?.[0] === 'rotated')
      await assertStored(
        storage,
        expired,
        kept.map((session) => toRotated(session, sampleRotation(session))),
      )
      const total = results.reduce((sum, [, count]) => sum + count, 0)
      assert.equal(total, expired.length - kept.length)
    },
  },
  {
    title: 'exactly one caller ends a session when end and endAllForUser run concurrently',
    run: async (storage) => {
      await createAll(storage, sessions)
      const end = (from: number, to: number) =>
        Promise.all(sessions.slice(from, to).map(({ id }) => storage.end(id, ending)))
      const [early, count, late] = await Promise.all([
        end(0, 8),
        storage.endAllForUser(sampleUser(1), endingAll),
        end(8, 16),
      ])
      const outcomes = [...early, ...late].map(({ outcome }) => outcome)
      const expected = sessions.map((session, position) => ({
        ...session,
        ...(outcomes[position] === 'ended' ? ending : endingAll),
      }))
      await assertStored(storage, sessions, expected)
      assert.equal(outcomes.filter((outcome) => outcome === 'ended').length + count, sessions.length)
    },
  },
])
