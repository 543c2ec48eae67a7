import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import type { InterruptionCase, Moment } from '../conformance-case.js'
import { added, ending, expired, known, type PortCall, portCalls, rotation, storeForCalls } from '../port-calls.js'
import { toRotated } from '../sample-session.js'
import { assertStored, assertStoredAsOneOf } from '../stored-sessions.js'

const capability = 'interruptions'

/** A call that writes: what it is about, how that stood before, and how it stands once the call took place. */
interface Write {
  readonly name: string
  readonly call: PortCall
  readonly about: SessionRecord
  readonly before: SessionRecord | undefined
  readonly after: SessionRecord | undefined
}

const ended = { about: known, before: known, after: { ...known, ...ending } }

const writes: readonly Write[] = [
  { name: 'a creation', call: portCalls.create, about: added, before: undefined, after: added },
  { name: 'a rotation', call: portCalls.rotate, about: known, before: known, after: toRotated(known, rotation) },
  { name: 'an end', call: portCalls.end, ...ended },
  { name: "the end of all of a user's sessions", call: portCalls.endAllForUser, ...ended },
  { name: 'the end of sessions created before an instant', call: portCalls.endCreatedBefore, ...ended },
  {
    name: 'a clearing of recent verifiers',
    call: portCalls.clearRecentVerifiers,
    about: known,
    before: known,
    after: { ...known, recentVerifiers: [] },
  },
  { name: 'a deletion', call: portCalls.deleteExpired, about: expired, before: expired, after: undefined },
]

const title = (name: string, moment: Moment): string =>
  moment === 'before-commit'
    ? `rejects ${name} that the backend fails before it is written, and nothing is written`
    : `rejects ${name} whose answer is lost, and it is written whole or not at all`

const toCase = ({ name, call, about, before, after }: Write, moment: Moment): InterruptionCase => ({
  capability,
  title: `${title(name, moment)}; once more, and it is`,
  moment,
  run: async (interrupted, healthy) => {
    await storeForCalls(healthy)
    await assert.rejects(async () => call(interrupted))
    await assertStoredAsOneOf(healthy, about, moment === 'before-commit' ? [before] : [before, after])
    // A creation that took place the first time rejects now, since the id is taken: either way the session stands.
    await (about === added ? Promise.allSettled([call(healthy)]) : call(healthy))
    await assertStored(healthy, [about], after === undefined ? [] : [after])
  },
})

/** What the port promises when the backend fails in the middle of a write. */
export const interruptionCases: readonly InterruptionCase[] = writes.flatMap((write) => [
  toCase(write, 'before-commit'),
  toCase(write, 'after-commit'),
])
