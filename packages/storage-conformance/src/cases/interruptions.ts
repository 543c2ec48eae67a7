import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import type { InterruptionCase, Moment } from '../conformance-case.js'
import { added, ending, expired, known, portCalls, rotation, storeForCalls } from '../port-calls.js'
import { toRotated } from '../sample-session.js'
import { assertStored, assertStoredAsOneOf } from '../stored-sessions.js'

const capability = 'interruptions'

/** A call that writes, and the session that it writes, before and after the write. `undefined` stands for a missing session. */
interface Write {
  readonly method: keyof typeof portCalls
  readonly session: SessionRecord
  readonly before: SessionRecord | undefined
  readonly after: SessionRecord | undefined
}

const ended = { session: known, before: known, after: { ...known, ...ending } }

const writes: readonly Write[] = [
  { method: 'create', session: added, before: undefined, after: added },
  { method: 'rotate', session: known, before: known, after: toRotated(known, rotation) },
  { method: 'end', ...ended },
  { method: 'endAllForUser', ...ended },
  { method: 'endCreatedBefore', ...ended },
  { method: 'clearRecentVerifiers', session: known, before: known, after: { ...known, recentVerifiers: [] } },
  { method: 'deleteExpired', session: expired, before: expired, after: undefined },
]

const toTitle = (method: Write['method'], moment: Moment): string =>
  moment === 'before-commit'
    ? `${method} rejects and writes nothing when the backend fails before the commit, and a repeat completes the write`
    : `${method} rejects and writes all or nothing when the response is lost after the commit, and a repeat completes the write`

const toCase = ({ method, session, before, after }: Write, moment: Moment): InterruptionCase => ({
  capability,
  title: toTitle(method, moment),
  moment,
  run: async (interrupted, healthy) => {
    const call = portCalls[method]
    await storeForCalls(healthy)
    await assert.rejects(async () => call(interrupted))
    await assertStoredAsOneOf(healthy, session, moment === 'before-commit' ? [before] : [before, after])
    // If the first `create` took place, the repeat rejects because the id is taken. The session is stored in both cases.
    await (method === 'create' ? Promise.allSettled([call(healthy)]) : call(healthy))
    await assertStored(healthy, [session], after === undefined ? [] : [after])
  },
})

/**
 * The requirements for writes that the backend fails midway. Run each case on two storages that share one empty backend. The backend
 * must fail each write of the first storage at the `moment` of the case.
 *
 * @example
 * ```ts
 * for (const { title, run, moment } of interruptionCases) {
 *   test(title, async () => run(...(await storagesOfWhichTheFirstFailsAt(moment))))
 * }
 * ```
 */
export const interruptionCases: readonly InterruptionCase[] = writes.flatMap((write) => [
  toCase(write, 'before-commit'),
  toCase(write, 'after-commit'),
])
