import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import { type Moment, type Pair, type Requirement, requirementsOf } from '../conformance-case.js'
import { added, ending, expired, known, portCalls, rotation, storeForCalls } from '../port-calls.js'
import { toRotated } from '../sample-session.js'
import { assertStored, assertStoredAsOneOf } from '../stored-sessions.js'

/**
 * A call that writes, and the session that it writes, before and after the write. `undefined`
 * stands for a missing session.
 */
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

const effects: Readonly<Record<Moment, string>> = {
  'before-commit': 'nothing when the backend fails before the commit',
  'after-commit': 'all or nothing when the response is lost after the commit',
}

/** The requirements for writes of a first storage that the backend fails midway. */
export const interruptionCasesAt = (moment: Moment): readonly Requirement<Pair>[] =>
  writes.flatMap(({ method, session, before, after }) =>
    requirementsOf<Pair>('interruptions', {
      [`${method} rejects and writes ${effects[moment]}, and a repeat completes the write`]: async (
        interrupted,
        healthy,
      ) => {
        const call = portCalls[method]
        await storeForCalls(healthy)
        await assert.rejects(async () => call(interrupted))
        await assertStoredAsOneOf(healthy, session, moment === 'before-commit' ? [before] : [before, after])
        // If the first `create` took place, the repeat rejects because the id is taken. The session
        // is stored in both cases.
        await (method === 'create' ? Promise.allSettled([call(healthy)]) : call(healthy))
        await assertStored(healthy, after === undefined ? [] : [after], [session])
      },
    }),
  )
