import assert from 'node:assert/strict'
import type { UserId } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

/** One case with one session for each of several users: each is found, listed and ended under its own id alone. */
const apartCase = (title: string, userIds: readonly UserId[]): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const sessions = userIds.map((userId, number) => sampleSession(number, { userId }))
    await createAll(storage, sessions)
    await assertStored(storage, sessions, sessions)
    for (const session of sessions) {
      assert.deepEqual(await storage.listActive(sampleUser(session.userId), { now: start, limit: 1_000 }), [session])
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

/** What the port promises about user ids. */
export const userIdCases = casesOf('user ids', [
  apartCase('keeps the integer 1 and the text 1 apart', [1, '1']),
  apartCase('keeps integers and the texts that read as the same number apart', [
    1000,
    '1e3',
    '1000',
    '01000',
    '+1000',
    '1000.0',
    '0x3e8',
  ]),
  apartCase('keeps 0, negative integers and their texts apart', [0, '0', -1, '-1', 1, -1000]),
  apartCase('keeps the largest and the smallest safe integers apart, to the last digit', [
    Number.MAX_SAFE_INTEGER,
    Number.MAX_SAFE_INTEGER - 1,
    String(Number.MAX_SAFE_INTEGER),
    Number.MIN_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER + 1,
  ]),
  apartCase('keeps texts of 255 characters apart that differ in the last', ['u'.repeat(255), `${'u'.repeat(254)}v`]),
  apartCase('keeps texts apart that differ in case, accents or spaces at the end', [
    'user',
    'User',
    'üser',
    'user ',
    'u\u0308ser',
    ' ',
  ]),
  apartCase('keeps texts apart that contain what may separate the parts of a key', [
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
