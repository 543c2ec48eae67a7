import assert from 'node:assert/strict'
import { mostIdsInBatch } from '@jwt-auth/core/adapter'
import type { SharingCase } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, findStored } from '../stored-sessions.js'

const capability = 'sharing'
const session = sampleSession(1)
const ending = { endedAt: start, endReason: 'revoked' }

/**
 * The requirements for two storages on one backend.
 *
 * @example
 * ```ts
 * for (const { title, run } of sharingCases) test(title, async () => run(...(await twoStoragesOnOneEmptyBackend())))
 * ```
 */
export const sharingCases: readonly SharingCase[] = [
  {
    capability,
    title: 'every lookup of one storage sees the writes of another that resolved before the lookup started',
    run: async (one, other) => {
      await assertStored(other, [session], [])
      await one.create(session)
      await assertStored(other, [session], [session])
      await one.rotate(sampleRotation(session))
      await assertStored(other, [session], [toRotated(session, sampleRotation(session))])
      assert.deepEqual(
        await other.findBySelectorHash(session.selectorHash),
        toRotated(session, sampleRotation(session)),
      )
      await one.end(session.id, ending)
      const ended = { ...toRotated(session, sampleRotation(session)), ...ending }
      await assertStored(other, [session], [ended])
      assert.deepEqual(await other.findBySelectorHash(session.selectorHash), ended)
      assert.deepEqual(await other.list(sampleUser(1), { activeAt: start, limit: 1_000 }), [])
      assert.deepEqual(await other.list(sampleUser(1), { limit: 1_000 }), [ended])
    },
  },
  {
    capability,
    title:
      'every lookup sees an end that resolved before the lookup started, while earlier lookups of the session are in flight',
    run: async (one, other) => {
      const ids = sampleSessions(mostIdsInBatch).map(({ id }) => id)
      const sessions = sampleSessions(10)
      await createAll(one, sessions)
      for (const each of sessions) {
        const findAgain = [
          async () => other.findByIds([each.id]),
          async () => [await other.findBySelectorHash(each.selectorHash)],
        ]
        // An adapter that reuses the result of an earlier lookup does so only while that lookup is in flight.
        const earlier = Promise.allSettled([other.findByIds(ids), ...findAgain.map((find) => find())])
        await one.end(each.id, ending)
        for (const find of findAgain) assert.deepEqual(await find(), [{ ...each, ...ending }])
        await earlier
      }
    },
  },
  {
    capability,
    title: 'create rejects a session whose id or selector hash was taken through another storage',
    run: async (one, other) => {
      await one.create(session)
      await assert.rejects(other.create(sampleSession(2, { id: session.id })))
      await assert.rejects(other.create(sampleSession(2, { selectorHash: session.selectorHash })))
      await assertStored(other, sampleSessions(2), [session])
    },
  },
  {
    capability,
    title: 'one of 64 concurrent rotate calls through two storages resolves to rotated',
    run: async (one, other) => {
      await one.create(session)
      const names = sampleSessions(64).map(({ id }) => `next-${id}`)
      const outcomes = await Promise.all(
        names.map((name, position) => (position % 2 === 0 ? one : other).rotate(sampleRotation(session, name))),
      )
      const winners = names.filter((_, position) => outcomes[position] === 'rotated')
      assert.deepEqual(winners, [(await findStored(other, session)).verifierHash])
    },
  },
  {
    capability,
    title: 'one of 64 concurrent end calls through two storages resolves to ended',
    run: async (one, other) => {
      await one.create(session)
      const reasons = sampleSessions(64).map(({ id }) => `reason ${id}`)
      const outcomes = await Promise.all(
        reasons.map((endReason, position) =>
          (position % 2 === 0 ? one : other).end(session.id, { endedAt: start, endReason }),
        ),
      )
      const winners = reasons.filter((_, position) => outcomes[position]?.outcome === 'ended')
      assert.deepEqual(winners, [(await findStored(other, session)).endReason])
    },
  },
]
