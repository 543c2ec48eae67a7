import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Stores sessions one after another. */
export const createAll = async (storage: SessionStorage, sessions: readonly SessionRecord[]): Promise<void> => {
  for (const session of sessions) await storage.create(session)
}

/** Asserts that of the sessions with the ids of `asked` exactly `expected` are stored, whatever their order. */
export const assertStored = async (
  storage: SessionStorage,
  asked: readonly SessionRecord[],
  expected: readonly SessionRecord[],
): Promise<void> => {
  const found = await storage.findByIds(asked.map(({ id }) => id))
  assert.deepEqual(inOrderOfId(found), inOrderOfId(expected))
}

/** The session as it is stored; throws an `AssertionError` when it is missing. */
export const findStored = async (storage: SessionStorage, { id }: SessionRecord): Promise<SessionRecord> => {
  const [found] = await storage.findByIds([id])
  assert.ok(found, `the session ${id} is missing`)
  return found
}

/** Asserts that a session is stored as one of these; `undefined` stands for not stored. */
export const assertStoredAsOneOf = async (
  storage: SessionStorage,
  { id }: SessionRecord,
  allowed: readonly (SessionRecord | undefined)[],
): Promise<void> => {
  const [found] = await storage.findByIds([id])
  if (allowed.some((each) => isDeepStrictEqual(found, each))) return
  assert.deepEqual(found, allowed.at(-1), 'the session is neither as it was nor as the call would have left it')
}

/** Records in an order that does not depend on the storage. */
export const inOrderOfId = (sessions: readonly SessionRecord[]): readonly SessionRecord[] =>
  sessions.toSorted((a, b) => Number(a.id > b.id) - Number(a.id < b.id))
