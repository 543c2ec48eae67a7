import assert from 'node:assert/strict'
import type { SessionStorage } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { assertTellsNothing } from '../error-texts.js'
import { fullSession, sampleRotation, sampleUser, start } from '../sample-session.js'

const session = fullSession(1)
const ending = { endedAt: start, endReason: 'revoked' }

const failingCase = (
  title: string,
  call: (storage: SessionStorage) => unknown,
): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: (storage) =>
    assert.rejects(
      async () => call(storage),
      (error) => {
        assertTellsNothing(error, session)
        return true
      },
    ),
})

/** What the port promises when the backend can't answer. Each case runs on a storage whose backend fails every call. */
export const failureCases = casesOf('failures', [
  failingCase('rejects a creation that the backend fails', (storage) => storage.create(session)),
  failingCase('rejects a batch lookup that the backend fails, and never calls it missing', (storage) =>
    storage.findByIds([session.id]),
  ),
  failingCase('rejects a selector lookup that the backend fails, and never calls it missing', (storage) =>
    storage.findBySelectorHash(session.selectorHash),
  ),
  failingCase('rejects a rotation that the backend fails, and never calls it stale', (storage) =>
    storage.rotate(sampleRotation(session)),
  ),
  failingCase('rejects an end that the backend fails, and never calls it not-found', (storage) =>
    storage.end(session.id, ending),
  ),
  failingCase("rejects the end of all of a user's sessions that the backend fails, and never counts none", (storage) =>
    storage.endAllForUser(sampleUser(1), ending),
  ),
  failingCase('rejects a list that the backend fails, and never calls it empty', (storage) =>
    storage.listActive(sampleUser(1), { now: start, limit: 1_000 }),
  ),
  failingCase(
    'rejects the end of sessions created before an instant that the backend fails, and never counts none',
    (storage) => storage.endCreatedBefore({ issuer: session.issuer, createdBefore: start, limit: 1 }, ending),
  ),
  failingCase('rejects a clearing of recent verifiers that the backend fails, and never counts none', (storage) =>
    storage.clearRecentVerifiers(start, 1),
  ),
  failingCase('rejects a deletion that the backend fails, and never counts none', (storage) =>
    storage.deleteExpired(start, 1),
  ),
])
