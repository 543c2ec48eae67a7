import assert from 'node:assert/strict'
import type { SessionRecord, UserRef } from '@jwt-auth/core/adapter'
import { checksOf, requirementsOf } from '../conformance-case.js'
import { fullSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll, listActive, toEnded, userOf } from '../stored-sessions.js'

const { issuer, userId } = sampleUser(1)
const { MAX_SAFE_INTEGER: max, MIN_SAFE_INTEGER: min } = Number

const integers = [1, '1', 0, '0', -1, '-1', -1000, max, max - 1, String(max), min, min + 1]
const likeThousand = [1000, '1e3', '1000', '01000', '+1000', '1000.0', '0x3e8']
const texts = ['user', 'User', 'üser', 'user ', 'u\u0308ser', ' ', 'u'.repeat(255), `${'u'.repeat(254)}v`]
const composites = ['a:b', 'a', 'a:', 'b', 'a/b', 'a"b', '"a"', '{a}']
// They differ in characters that a collation or the separator of a composite key may confuse.
const issuers = [
  issuer,
  `${issuer}/`,
  `${issuer} `,
  issuer.toUpperCase(),
  `${issuer}":1`,
  'é',
  'e\u0301',
  'x'.repeat(200),
]

/** Users whose sessions must be listed and ended separately. */
const users: Readonly<Record<string, readonly UserRef[]>> = {
  'integers from one another and from texts that read as the same number': [...integers, ...likeThousand].map(
    sampleUser,
  ),
  'texts that differ in case, accents, spaces, separators of composite keys, or the last of 255 characters': [
    ...texts,
    ...composites,
  ].map(sampleUser),
  'the same user id of several issuers': issuers.map((each) => ({ issuer: each, userId })),
}

/** The requirements for user ids, and for issuers that share a storage. */
export const userCases = requirementsOf(
  'users',
  checksOf(
    users,
    (refs) => async (storage) => {
      const sessions = refs.map((user, number) => fullSession(number, { ...user }))
      await createAll(storage, sessions)
      await assertStored(storage, sessions)
      for (const session of sessions) {
        assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
        assert.deepEqual(await listActive(storage, session), [session])
      }
      const ended: SessionRecord[] = []
      for (const [number, session] of sessions.entries()) {
        const ending = { endedAt: start + number, endReason: `reason ${number}` }
        assert.equal(await storage.endAllForUser({ ...userOf(session), ...ending }), 1)
        ended.push(toEnded(session, ending))
      }
      await assertStored(storage, ended)
    },
    (name) => `list and endAllForUser distinguish ${name}`,
  ),
)
