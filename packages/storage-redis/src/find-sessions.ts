import type { SessionRecord, UserKey } from '@jwt-auth/core'
import { listUserScript } from './index-scripts.js'
import type { RunScript } from './run-script.js'
import { readSession } from './session-fields.js'
import type { SessionKeys } from './session-keys.js'
import { readSessionScript } from './session-scripts.js'

/** How many sessions are read, ended or deleted at a time. */
export const batchSize = 64

/** Reads the sessions with these ids; omits missing ones. */
export const findSessions = async (
  run: RunScript,
  keys: SessionKeys,
  ids: readonly string[],
): Promise<readonly SessionRecord[]> => {
  const found = await Promise.all([...new Set(ids)].map((id) => run(readSessionScript, keys.session(id))))
  return found.flatMap((fields) => readSession(fields) ?? [])
}

/**
 * Reads a user's sessions that have not ended, the newest first, in batches. Omits sessions of others: a creation that broke off
 * may have left the id of another user's session in the index.
 */
export async function* readOfUser(
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

/** Whether a session has not ended and is before both of its expiries. */
export const isActive = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: SessionRecord, now: number): boolean =>
  endedAt === null && now < idleExpiresAt && now < absoluteExpiresAt
