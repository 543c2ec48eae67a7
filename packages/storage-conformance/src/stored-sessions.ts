import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import type { FoundSession, SessionEnd, SessionRecord, UserRef } from '@jwt-auth/core/adapter'
import { sampleUser, start } from './sample-session.js'

/** Stores sessions, `atOnce` of them concurrently. */
export const createAll = async (storage: SessionStorage, sessions: readonly SessionRecord[], atOnce = 1) => {
  for (const part of inParts(sessions, atOnce)) await Promise.all(part.map((session) => storage.create(session)))
}

/**
 * Looks sessions up, and asserts that the result is `expected`, in any order.
 *
 * @param asked the sessions to look up, if they are not the expected ones
 */
export const assertStored = async (storage: SessionStorage, expected: readonly SessionRecord[], asked = expected) => {
  const found = await storage.findByIds(asked.map(({ id }) => id))
  assertSessions(inOrderOfId(found), inOrderOfId(expected))
}

/**
 * Asserts that the sessions are `expected`, in this order. Compares one session after the other,
 * because the message about two long lists takes seconds and gigabytes on Node 22.
 */
export const assertSessions = (found: readonly FoundSession[], expected: readonly FoundSession[]): void => {
  for (const [position, session] of expected.entries()) assert.deepEqual(found[position], session)
  assert.equal(found.length, expected.length, 'the number of sessions')
}

/** Returns a session as it is after its end. */
export const toEnded = (session: SessionRecord, ending: SessionEnd): SessionRecord => ({
  ...session,
  ...ending,
  recentVerifiers: [],
})

/** Returns sessions as they are after their end. */
export const toAllEnded = (sessions: readonly SessionRecord[], ending: SessionEnd): readonly SessionRecord[] =>
  sessions.map((session) => toEnded(session, ending))

/** Divides a list into parts of a size. */
export const inParts = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) => items.slice(part * size, (part + 1) * size))

/** Returns the user of a session, without the rest of the session. */
export const userOf = ({ issuer, userId }: UserRef): UserRef => ({ issuer, userId })

/** Lists the sessions of a user that are active at an instant. */
export const listActive = (
  storage: SessionStorage,
  user: UserRef = sampleUser(1),
  activeAt = start,
): Promise<readonly FoundSession[]> => storage.list({ ...userOf(user), activeAt, limit: 1_000 })

/**
 * Returns the stored sessions, in any order.
 *
 * @throws `AssertionError` if one of them is unreadable
 */
export const findAllStored = async (storage: SessionStorage, asked: readonly SessionRecord[]) =>
  (await storage.findByIds(asked.map(({ id }) => id))).map((found) => {
    assert.ok(!('error' in found), `the session ${found.id} is unreadable`)
    return found
  })

/**
 * Asserts that the stored session equals one of `allowed`. `undefined` stands for a missing one.
 */
export const assertStoredAsOneOf = async (
  storage: SessionStorage,
  { id }: SessionRecord,
  allowed: readonly (SessionRecord | undefined)[],
): Promise<void> => {
  const [found] = await storage.findByIds([id])
  if (allowed.some((each) => isDeepStrictEqual(found, each))) return
  assert.deepEqual(found, allowed.at(-1), 'the session is neither unchanged nor completely written')
}

/** Sorts sessions by id. */
export const inOrderOfId = <Session extends FoundSession>(sessions: readonly Session[]): readonly Session[] =>
  sessions.toSorted((a, b) => Number(a.id > b.id) - Number(a.id < b.id))
