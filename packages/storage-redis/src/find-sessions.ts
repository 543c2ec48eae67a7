import type { SessionRecord, UserKey } from '@jwt-auth/core'
import { listUserScript } from './index-scripts.js'
import type { RunScript } from './script-runner.js'
import { parseSession } from './session-fields.js'
import type { SessionKeys } from './session-keys.js'
import { findSessionScript } from './session-scripts.js'

/** How many sessions are found, ended or deleted concurrently. */
export const batchSize = 64

/** Finds the sessions with these ids, in any order. Missing sessions are absent from the result. */
export const findSessions = async (
  run: RunScript,
  keys: SessionKeys,
  ids: readonly string[],
): Promise<readonly SessionRecord[]> => {
  const found = await Promise.all([...new Set(ids)].map((id) => run(findSessionScript, keys.session(id))))
  return found.flatMap((fields) => parseSession(fields) ?? [])
}

/**
 * Finds the sessions in the index of a user, in batches, newest first. Skips sessions of other users: an interrupted creation may have
 * left the id of another user's session in the index.
 */
export async function* findUserSessions(
  run: RunScript,
  keys: SessionKeys,
  user: UserKey,
): AsyncGenerator<readonly SessionRecord[]> {
  const ids = await run(listUserScript, keys.user(user))
  for (let start = 0; start < ids.length; start += batchSize) {
    const sessions = await findSessions(run, keys, ids.slice(start, start + batchSize))
    yield sessions.filter(({ issuer, userId }) => issuer === user.issuer && userId === user.userId)
  }
}

/** Returns whether a session is, at `now`, neither ended nor expired. */
export const isActive = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: SessionRecord, now: number): boolean =>
  endedAt === null && now < idleExpiresAt && now < absoluteExpiresAt
