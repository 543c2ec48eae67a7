import assert from 'node:assert/strict'
import type { UserId } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

/** Creates a case with one session per user. Each session must be listed and ended only under its own user id. */
const apartCase = (title: string, userIds: readonly UserId[]): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const sessions = userIds.map((userId, number) => sampleSession(number, { userId }))
    await createAll(storage, sessions)
    await assertStored(storage, sessions, sessions)
    for (const session of sessions) {
      assert.deepEqual(await storage.list(sampleUser(session.userId), { activeAt: start, limit: 1_000 }), [session])
    }
    for (const [position, { userId }] of sessions.entries()) {
      const ending = { endedAt: start + position, endReason: `reason ${position}` }
      assert.equal(await storage.endAllForUser(sampleUser(userId), ending), 1)
    }
    const ended = sessions.map((session, position) => ({
      ...session,
      endedAt: start + position,
      endReason: `reason ${position}`,
    }))
    await assertStored(storage, sessions, ended)
  },
})

/** The requirements for user ids. */
export const userIdCases = casesOf('user ids', [
  apartCase('list and endAllForUser distinguish the integer 1 from the text 1', [1, '1']),
  apartCase('list and endAllForUser distinguish integers from texts that read as the same number', [
    1000,
    '1e3',
    '1000',
    '01000',
    '+1000',
    '1000.0',
    '0x3e8',
  ]),
  apartCase('list and endAllForUser distinguish 0, negative integers and their texts', [0, '0', -1, '-1', 1, -1000]),
  apartCase('list and endAllForUser distinguish the largest and smallest safe integers, to the last digit', [
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER - 1,
    String(Number.MAX_SAFE_INTEGER),
    Number.MIN_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER + 1,
  ]),
  apartCase('list and endAllForUser distinguish texts of 255 characters that differ in the last character', [
    'u'.repeat(255),
    `${'u'.repeat(254)}v`,
  ]),
  apartCase('list and endAllForUser distinguish texts that differ in case, accents or trailing spaces', [
    'user',
    'User',
    'üser',
    'user ',
    'u\u0308ser',
    ' ',
  ]),
  apartCase('list and endAllForUser distinguish texts that contain separators of composite keys', [
    'a:b',
    'a',
    'a:',
    'b',
    'a/b',
    'a"b',
    '"a"',
    '{a}',
  ]),
])
