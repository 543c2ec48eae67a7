import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { SharingCase } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, createMany, findStored } from '../stored-sessions.js'

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
      const sessions = sampleSessions(100)
      await createMany(one, sessions)
      for (const each of sessions) {
        const find = () => Promise.all([other.findByIds([each.id]), other.findBySelectorHash(each.selectorHash)])
        let isEnded = false
        // An adapter may reuse the result of an earlier lookup that is in flight. One is in flight until the end has resolved.
        const findUntilEnded = async () => {
          while (!isEnded) await Promise.all([find(), setImmediate()])
        }
        const finding = findUntilEnded()
        try {
          await one.end(each.id, ending)
          const ended = { ...each, ...ending }
          assert.deepEqual(await find(), [[ended], ended])
        } finally {
          isEnded = true
          await finding
        }
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
