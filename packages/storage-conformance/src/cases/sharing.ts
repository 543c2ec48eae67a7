import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import type { EndOutcome, SessionRecord } from '@jwt-auth/core/adapter'
import type { Capability, Requirement, StoragePair } from '../conformance-case.js'
import { dayMs, sampleRotation, sampleSession, sampleSessions, start, toRotated } from '../sample-session.js'
import { assertStored, createAll, findAllStored, listActive, toAllEnded, userOf } from '../stored-sessions.js'

// Many sessions, because two processes rarely reach one session in the same instant.
const sessions = sampleSessions(32)
const user = userOf(sampleSession(1))
const callers = [0, 1, 2, 3]
const ending = { endedAt: start + 9, endReason: 'one' }
const endingAll = { endedAt: start + 99, endReason: 'all' }

/**
 * Makes four concurrent calls for each session, two through each storage. Asserts that one of the
 * four resolves to `true`. Resolves to the callers of these calls, in the order of the sessions.
 */
const findWinners = async (
  [one, other]: StoragePair,
  call: (storage: SessionStorage, session: SessionRecord, caller: number) => Promise<boolean>,
): Promise<readonly number[]> => {
  const callAll = (session: SessionRecord) =>
    Promise.all(callers.map((caller) => call(caller % 2 === 0 ? one : other, session, caller)))
  const outcomes = await Promise.all(sessions.map(callAll))
  const winners = outcomes.map((hasSucceeded) => callers.filter((caller) => hasSucceeded[caller]))
  const counts = winners.map(({ length }) => length)
  const hasOneEach = counts.every((count) => count === 1)
  assert.ok(hasOneEach, `of four callers succeeded: ${counts}`)
  return winners.flat()
}

/**
 * Makes two concurrent calls for each session. Every second session gets them in the other order.
 */
const callBoth = <One, Other>(
  all: readonly SessionRecord[],
  callOne: (session: SessionRecord) => Promise<One>,
  callOther: (session: SessionRecord) => Promise<Other>,
): Promise<readonly (readonly [One, Other])[]> =>
  Promise.all(
    all.map((session, position) => {
      const early = position % 2 === 0 ? undefined : callOther(session)
      return Promise.all([callOne(session), early ?? callOther(session)])
    }),
  )

/** Makes a call for each session, and ends all sessions in the middle of these calls. */
const callAndEndAll = async <Outcome>(call: (session: SessionRecord) => Promise<Outcome>, storage: SessionStorage) => {
  const early = sessions.slice(0, 16).map(call)
  const ended = storage.endAllForUser({ ...user, ...endingAll })
  const late = sessions.slice(16).map(call)
  const [count, ...outcomes] = await Promise.all([ended, ...early, ...late])
  return { outcomes, count }
}

const toSum = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

const toRotatedIf = (outcome: string | undefined, session: SessionRecord): SessionRecord =>
  outcome === 'rotated' ? toRotated(session, sampleRotation(session)) : session

/**
 * Asserts that of four concurrent callers with the same id or selector hash, one creates a session.
 */
const assertOneCreates = async (
  storages: StoragePair,
  toRival: (session: SessionRecord, caller: number) => SessionRecord,
): Promise<void> => {
  const winners = await findWinners(storages, async (storage, session, caller) => {
    const [{ status }] = await Promise.allSettled([storage.create(toRival(session, caller))])
    return status === 'fulfilled'
  })
  const created = sessions.map((session, position) => toRival(session, winners[position] ?? 0))
  const rivals = sessions.flatMap((session) => callers.map((caller) => toRival(session, caller)))
  for (const storage of storages) {
    const found = await storage.findByIds([...new Set(rivals.map(({ id }) => id))])
    assert.deepEqual(new Set(found), new Set(created))
    for (const { selectorHash } of rivals) {
      const expected = created.find((session) => session.selectorHash === selectorHash)
      assert.deepEqual(await storage.findBySelectorHash(selectorHash), expected)
    }
    assert.equal((await listActive(storage)).length, created.length)
  }
}

const checks: Readonly<Record<string, (one: SessionStorage, other: SessionStorage) => Promise<void>>> = {
  'every lookup sees the writes that resolved before the lookup started': async (one, other) => {
    const session = sampleSession(1)
    const assertFound = async (expected: SessionRecord) => {
      await assertStored(other, [expected])
      assert.deepEqual(await other.findBySelectorHash(session.selectorHash), expected)
      assert.deepEqual(await other.list({ ...userOf(session), limit: 1_000 }), [expected])
    }
    await assertStored(other, [], [session])
    assert.equal(await other.findBySelectorHash(session.selectorHash), undefined)
    await one.create(session)
    await assertFound(session)
    await one.rotate(sampleRotation(session))
    const rotated = toRotated(session, sampleRotation(session))
    await assertFound(rotated)
    await one.end({ id: session.id, ...ending })
    await assertFound({ ...rotated, ...ending, recentVerifiers: [] })
    assert.deepEqual(await listActive(other), [])
    await one.deleteExpired({ before: ending.endedAt, limit: 1 })
    await assertStored(other, [], [session])
  },
  'every lookup sees an end that resolved before the lookup started, while earlier lookups are in flight': async (
    one,
    other,
  ) => {
    const many = sampleSessions(100)
    await createAll(one, many, 50)
    for (const each of many) {
      const find = () => Promise.all([other.findByIds([each.id]), other.findBySelectorHash(each.selectorHash)])
      let isEnded = false
      // An adapter may reuse the result of an earlier lookup that is in flight. One is in flight
      // until the end has resolved.
      const findUntilEnded = async () => {
        while (!isEnded) await Promise.all([find(), setImmediate()])
      }
      const finding = findUntilEnded()
      try {
        await one.end({ id: each.id, ...ending })
        const ended = { ...each, ...ending }
        assert.deepEqual(await find(), [[ended], ended])
      } finally {
        isEnded = true
        await finding
      }
    }
  },
  'one of four concurrent create calls with the same id succeeds, and its session is stored': (...storages) =>
    assertOneCreates(storages, (session, caller) => ({
      ...session,
      selectorHash: `${session.selectorHash}-${caller}`,
    })),
  'one of four concurrent create calls with the same selector hash succeeds, and its session is stored': (
    ...storages
  ) => assertOneCreates(storages, (session, caller) => ({ ...session, id: `${session.id}-${caller}` })),
  'one of four concurrent rotate calls with the same expected verifier hash resolves to rotated': async (
    ...storages
  ) => {
    const toRotation = (session: SessionRecord, caller: number) =>
      sampleRotation(session, `next-${caller}-${session.id}`)
    await createAll(storages[0], sessions)
    const winners = await findWinners(
      storages,
      async (storage, session, caller) => (await storage.rotate(toRotation(session, caller))) === 'rotated',
    )
    const rotated = sessions.map((session, position) => toRotated(session, toRotation(session, winners[position] ?? 0)))
    for (const storage of storages) await assertStored(storage, rotated)
  },
  'one of four concurrent end calls resolves to ended, and the others to already-ended with its time and reason':
    async (...storages) => {
      const toEnd = (caller: number) => ({ endedAt: start + caller, endReason: `reason ${caller}` })
      const others: { readonly id: string; readonly outcome: EndOutcome }[] = []
      await createAll(storages[0], sessions)
      const winners = await findWinners(storages, async (storage, { id }, caller) => {
        const outcome = await storage.end({ id, ...toEnd(caller) })
        if (outcome.outcome !== 'ended') others.push({ id, outcome })
        return outcome.outcome === 'ended'
      })
      const ended = sessions.map((session, position) => ({ ...session, ...toEnd(winners[position] ?? 0) }))
      for (const storage of storages) await assertStored(storage, ended)
      for (const { id, outcome } of others) {
        const { endedAt, endReason } = ended.find((session) => session.id === id) ?? ending
        assert.deepEqual(outcome, { outcome: 'already-ended', endedAt, endReason })
      }
    },
  '16 concurrent endAllForUser calls count each session once': async (one, other) => {
    await createAll(one, sessions)
    const reasons = Array.from({ length: 16 }, (_, position) => `reason ${position}`)
    const counts = await Promise.all(
      reasons.map((endReason, position) =>
        (position % 2 === 0 ? one : other).endAllForUser({ ...user, endedAt: start, endReason }),
      ),
    )
    const found = await findAllStored(other, sessions)
    const ownCounts = reasons.map((reason) => found.filter(({ endReason }) => endReason === reason).length)
    assert.deepEqual(counts, ownCounts)
    assert.deepEqual(await listActive(other), [])
  },
  '8 concurrent deleteExpired calls count each session once, and none exceeds its limit': async (one, other) => {
    const expired = sampleSessions(20, { idleExpiresAt: start - dayMs })
    const active = sampleSession(100)
    await createAll(one, [...expired, active])
    const counts = await Promise.all(
      [one, other, one, other, one, other, one, other].map((each) => each.deleteExpired({ before: start, limit: 4 })),
    )
    const left = await findAllStored(other, expired)
    assert.equal(toSum(counts), expired.length - left.length)
    assert.ok(Math.max(...counts) <= 4, `a caller deleted more than its limit of 4: ${counts}`)
    await assertStored(other, [active])
  },
  'a session stays ended when rotate and end run concurrently, in either order': async (one, other) => {
    await createAll(one, sessions)
    const results = await callBoth(
      sessions,
      (session) => one.rotate(sampleRotation(session)),
      ({ id }) => other.end({ id, ...ending }),
    )
    assert.deepEqual(new Set(results.map(([, { outcome }]) => outcome)), new Set(['ended']))
    const expected = sessions.map((session, position) => toRotatedIf(results[position]?.[0], session))
    await assertStored(one, toAllEnded(expected, ending))
  },
  'a session stays ended when rotate and endAllForUser run concurrently, in either order': async (one, other) => {
    await createAll(one, sessions)
    const { outcomes, count } = await callAndEndAll((session) => one.rotate(sampleRotation(session)), other)
    const expected = sessions.map((session, position) => toRotatedIf(outcomes[position], session))
    await assertStored(one, toAllEnded(expected, endingAll))
    assert.equal(count, sessions.length)
  },
  'a session is either ended or listed when create and endAllForUser run concurrently': async (one, other) => {
    const results = await callBoth(
      sessions,
      (session) => one.create(session),
      () => other.endAllForUser({ ...user, ...endingAll }),
    )
    const active = new Set((await listActive(one)).map(({ id }) => id))
    const expected = sessions.map((session) => (active.has(session.id) ? session : { ...session, ...endingAll }))
    await assertStored(one, expected)
    assert.equal(toSum(results.map(([, count]) => count)), sessions.length - active.size)
  },
  'a session is either rotated or deleted when rotate and deleteExpired run concurrently': async (one, other) => {
    const expired = sampleSessions(32, { idleExpiresAt: start - dayMs })
    await createAll(one, expired)
    const results = await callBoth(
      expired,
      (session) => one.rotate(sampleRotation(session)),
      () => other.deleteExpired({ before: start, limit: 1 }),
    )
    const kept = expired.filter((_, position) => results[position]?.[0] === 'rotated')
    const rotated = kept.map((session) => toRotated(session, sampleRotation(session)))
    await assertStored(other, rotated, expired)
    assert.equal(toSum(results.map(([, count]) => count)), expired.length - kept.length)
  },
  'exactly one caller ends a session when end and endAllForUser run concurrently': async (one, other) => {
    await createAll(one, sessions)
    const { outcomes, count } = await callAndEndAll(({ id }) => one.end({ id, ...ending }), other)
    const isOwn = outcomes.map(({ outcome }) => outcome === 'ended')
    const expected = sessions.map((session, position) => ({ ...session, ...(isOwn[position] ? ending : endingAll) }))
    await assertStored(one, expected)
    assert.equal(isOwn.filter(Boolean).length + count, sessions.length)
  },
}

const places = {
  concurrency: '',
  sharing: ', through two storages',
  processes: ', in two processes',
} as const satisfies Partial<Record<Capability, string>>

/**
 * The requirements for calls that concern one another: of one storage, of two storages on one
 * backend, or of two processes. Each process has its own copy of the adapter's code, so that caches
 * and locks in the memory of a process do not hide a mistake.
 */
export const sharingCasesOf = (capability: keyof typeof places): readonly Requirement<StoragePair>[] =>
  Object.entries(checks).map(([title, run]) => ({ capability, title: `${title}${places[capability]}`, run }))
