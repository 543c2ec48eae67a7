import assert from 'node:assert/strict'
import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import type { InterruptionCase, Moment } from '../conformance-case.js'
import { fullSession, sampleRotation, sampleSession, sampleUser, start, toRotated } from '../sample-session.js'
import { assertStored, assertStoredAsOneOf } from '../stored-sessions.js'

const capability = 'interruptions'
const ending = { endedAt: start, endReason: 'revoked' }
const live = fullSession(1)
const over = sampleSession(2, { userId: 2, idleExpiresAt: start })
const created = sampleSession(3)

/** A call that writes: what it is about, how that stood before, and how it stands once the call took place. */
interface Write {
  readonly name: string
  readonly call: (storage: SessionStorage) => Promise<unknown>
  readonly about: SessionRecord
  readonly before: SessionRecord | undefined
  readonly after: SessionRecord | undefined
  /** Makes the call once more on a healthy backend. */
  readonly retry: (healthy: SessionStorage) => Promise<unknown>
}

const writes: readonly Write[] = [
  {
    name: 'a creation',
    call: (storage) => storage.create(created),
    about: created,
    before: undefined,
    after: created,
    // Where it took place the first time, the id is taken; either way the session stands.
    retry: (healthy) => healthy.create(created).catch(() => {}),
  },
  {
    name: 'a rotation',
    call: (storage) => storage.rotate(sampleRotation(live)),
    about: live,
    before: live,
    after: toRotated(live, sampleRotation(live)),
    retry: (healthy) => healthy.rotate(sampleRotation(live)),
  },
  {
    name: 'an end',
    call: (storage) => storage.end(live.id, ending),
    about: live,
    before: live,
    after: { ...live, ...ending },
    retry: (healthy) => healthy.end(live.id, ending),
  },
  {
    name: "the end of all of a user's sessions",
    call: (storage) => storage.endAllForUser(sampleUser(1), ending),
    about: live,
    before: live,
    after: { ...live, ...ending },
    retry: (healthy) => healthy.endAllForUser(sampleUser(1), ending),
  },
  {
    name: 'the end of sessions created before an instant',
    call: (storage) =>
      storage.endCreatedBefore({ issuer: live.issuer, createdBefore: live.createdAt + 1, limit: 10 }, ending),
    about: live,
    before: live,
    after: { ...live, ...ending },
    retry: (healthy) =>
      healthy.endCreatedBefore({ issuer: live.issuer, createdBefore: live.createdAt + 1, limit: 10 }, ending),
  },
  {
    name: 'a clearing of recent verifiers',
    call: (storage) => storage.clearRecentVerifiers(live.rotatedAt, 10),
    about: live,
    before: live,
    after: { ...live, recentVerifiers: [] },
    retry: (healthy) => healthy.clearRecentVerifiers(live.rotatedAt, 10),
  },
  {
    name: 'a deletion',
    call: (storage) => storage.deleteExpired(start, 10),
    about: over,
    before: over,
    after: undefined,
    retry: (healthy) => healthy.deleteExpired(start, 10),
  },
]

const title = (name: string, moment: Moment): string =>
  moment === 'before-commit'
    ? `rejects ${name} that the backend fails before it is written, and nothing is written`
    : `rejects ${name} whose answer is lost, and it is written whole or not at all`

const toCase = ({ name, call, about, before, after, retry }: Write, moment: Moment): InterruptionCase => ({
  capability,
  title: `${title(name, moment)}; once more, and it is`,
  moment,
  run: async (interrupted, healthy) => {
    await healthy.create(live)
    await healthy.create(over)
    await assert.rejects(call(interrupted))
    await assertStoredAsOneOf(healthy, about, moment === 'before-commit' ? [before] : [before, after])
    await retry(healthy)
    await assertStored(healthy, [about], after === undefined ? [] : [after])
  },
})

/** What the port promises when the backend fails in the middle of a write. */
export const interruptionCases: readonly InterruptionCase[] = writes.flatMap((write) => [
  toCase(write, 'before-commit'),
  toCase(write, 'after-commit'),
])
