import assert from 'node:assert/strict'
import { casesOf } from '../conformance-case.js'
import { sampleRotation, sampleSession, sampleSessions, sampleUser, start } from '../sample-session.js'
import { createAll, findAllStored, findStored } from '../stored-sessions.js'

const callers = sampleSessions(64)
const session = sampleSession(100)

/** Returns the callers whose call succeeded. */
const winnersOf = <Caller>(all: readonly Caller[], outcomes: readonly PromiseSettledResult<unknown>[]) =>
  all.filter((_, position) => outcomes[position]?.status === 'fulfilled')

/** The requirements for many concurrent calls of one method. */
export const oneWinnerCases = casesOf('concurrency', [
  {
    title: 'one of 64 concurrent create calls with the same id succeeds, and its session is stored',
    run: async (storage) => {
      const rivals = callers.map((each) => ({ ...each, id: session.id }))
      const outcomes = await Promise.allSettled(rivals.map((rival) => storage.create(rival)))
      assert.deepEqual(winnersOf(rivals, outcomes), [await findStored(storage, session)])
      const found = await Promise.all(rivals.map(({ selectorHash }) => storage.findBySelectorHash(selectorHash)))
      assert.deepEqual(
        found.filter((each) => each !== undefined),
        winnersOf(rivals, outcomes),
      )
    },
  },
  {
    title: 'one of 64 concurrent create calls with the same selector hash succeeds, and its session is stored',
    run: async (storage) => {
      const rivals = callers.map((each) => ({ ...each, selectorHash: session.selectorHash }))
      const outcomes = await Promise.allSettled(rivals.map((rival) => storage.create(rival)))
      assert.deepEqual(winnersOf(rivals, outcomes), [await storage.findBySelectorHash(session.selectorHash)])
      assert.deepEqual(await storage.findByIds(rivals.map(({ id }) => id)), winnersOf(rivals, outcomes))
      assert.deepEqual(
        await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 }),
        winnersOf(rivals, outcomes),
      )
    },
  },
  {
    title: 'one of 64 concurrent rotate calls with the same expected verifier hash resolves to rotated',
    run: async (storage) => {
      await storage.create(session)
      const names = callers.map((_, position) => `next-${position}`)
      const outcomes = await Promise.all(names.map((name) => storage.rotate(sampleRotation(session, name))))
      const winners = names.filter((_, position) => outcomes[position] === 'rotated')
      const { verifierHash } = await findStored(storage, session)
      assert.deepEqual(winners, [verifierHash])
    },
  },
  {
    title: 'one of 64 concurrent end calls resolves to ended, and the others to already-ended with its time and reason',
    run: async (storage) => {
      await storage.create(session)
      const endings = callers.map((_, position) => ({ endedAt: start + position, endReason: `reason ${position}` }))
      const outcomes = await Promise.all(endings.map((ending) => storage.end(session.id, ending)))
      const { endedAt, endReason } = await findStored(storage, session)
      const expected = endings.map((ending) =>
        ending.endReason === endReason
          ? { outcome: 'ended' as const }
          : { outcome: 'already-ended' as const, endedAt, endReason },
      )
      assert.deepEqual(outcomes, expected)
    },
  },
  {
    title: '16 concurrent endAllForUser calls count each session once',
    run: async (storage) => {
      await createAll(storage, callers)
      const reasons = Array.from({ length: 16 }, (_, position) => `reason ${position}`)
      const counts = await Promise.all(
        reasons.map((endReason) => storage.endAllForUser(sampleUser(1), { endedAt: start, endReason })),
      )
      const found = await findAllStored(storage, callers)
      const ownCounts = reasons.map((reason) => found.filter(({ endReason }) => endReason === reason).length)
      assert.deepEqual(counts, ownCounts)
      assert.deepEqual(await storage.list(sampleUser(1), { activeAt: start, limit: 1_000 }), [])
    },
  },
  {
    title: '8 concurrent deleteExpired calls count each session once, and none exceeds its limit',
    run: async (storage) => {
      const expired = sampleSessions(20, { idleExpiresAt: start })
      await createAll(storage, [...expired, session])
      const counts = await Promise.all(Array.from({ length: 8 }, () => storage.deleteExpired(start, 4)))
      const left = await storage.findByIds(expired.map(({ id }) => id))
      const total = counts.reduce((sum, count) => sum + count, 0)
      assert.equal(total, expired.length - left.length)
      assert.ok(
        counts.every((count) => count <= 4),
        `a caller deleted more than its limit of 4: ${counts}`,
      )
      assert.deepEqual(await findStored(storage, session), session)
    },
  },
])
