import assert from 'node:assert/strict'
import type { UserId, UserRef } from '@jwt-auth/core'
import { type Checks, requirementsOf } from '../conformance-case.js'
import { fullSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll, listActive } from '../stored-sessions.js'

/**
 * Creates a case with one session per user. Each must be listed and ended only with its own user.
 */
const apartCase = (title: string, users: readonly UserRef[]): Checks => ({
  [title]: async (storage) => {
    const sessions = users.map((user, number) => fullSession(number, { ...user }))
    await createAll(storage, sessions)
    await assertStored(storage, sessions)
    for (const session of sessions) {
      assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), session)
      assert.deepEqual(await listActive(storage, session), [session])
    }
    for (const [position, user] of sessions.entries()) {
      const ending = { endedAt: start + position, endReason: `reason ${position}` }
      assert.equal(await storage.endAllForUser(user, ending), 1)
    }
    await assertStored(
      storage,
      sessions.map((session, position) => ({
        ...session,
        endedAt: start + position,
        endReason: `reason ${position}`,
      })),
    )
  },
})

const idsCase = (what: string, ids: readonly UserId[]): Checks =>
  apartCase(`list and endAllForUser distinguish ${what}`, ids.map(sampleUser))

const { issuer, userId } = sampleUser(1)
// They differ in characters that a collation or the separator of a composite key may confuse.
const issuers = [`${issuer}/`, `${issuer} `, issuer.toUpperCase(), `${issuer}":1`, 'é', 'e\u0301', 'x'.repeat(200)]

/** The requirements for user ids, and for issuers that share a storage. */
export const userCases = requirementsOf('users', {
  ...idsCase('the integer 1 from the text 1', [1, '1']),
  ...idsCase('integers from texts that read as the same number', [
    1000,
    '1e3',
    '1000',
    '01000',
    '+1000',
    '1000.0',
    '0x3e8',
  ]),
  ...idsCase('0, negative integers and their texts', [0, '0', -1, '-1', 1, -1000]),
  ...idsCase('the largest and smallest safe integers, to the last digit', [
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER - 1,
    String(Number.MAX_SAFE_INTEGER),
    Number.MIN_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER + 1,
  ]),
  ...idsCase('texts of 255 characters that differ in the last character', ['u'.repeat(255), `${'u'.repeat(254)}v`]),
  ...idsCase('texts that differ in case, accents or trailing spaces', [
    'user',
    'User',
    'üser',
    'user ',
    'u\u0308ser',
    ' ',
  ]),
  ...idsCase('texts that contain separators of composite keys', ['a:b', 'a', 'a:', 'b', 'a/b', 'a"b', '"a"', '{a}']),
  ...apartCase(
    'list and endAllForUser distinguish the same user id of several issuers',
    [issuer, ...issuers].map((each) => ({ issuer: each, userId })),
  ),
})
