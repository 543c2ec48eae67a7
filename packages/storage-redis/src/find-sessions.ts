import type { ActiveList, ListedSession, SessionRecord, UserKey } from '@jwt-auth/core'
import { listUserScript } from './index-scripts.js'
import type { RunScript } from './script-runner.js'
import { findInstant, findUser, parseSession, type StoredFields, toStoredFields } from './session-fields.js'
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
  const found = await Promise.all([...new Set(ids)].map((id) => findStored(run, keys, id)))
  return found.flatMap((fields) => (fields === undefined ? [] : parseSession(fields)))
}

/** Finds the fields of a session, which may be unreadable. Resolves to `undefined` for a missing session. */
export const findStored = async (run: RunScript, keys: SessionKeys, id: string): Promise<StoredFields | undefined> =>
  toStoredFields(await run(findSessionScript, keys.session(id)))

/** Finds the active sessions of a user, newest first, then those that cannot be read. */
export const listActiveSessions = async (
  run: RunScript,
  keys: SessionKeys,
  { user, now, limit }: ActiveList & { readonly user: UserKey },
): Promise<readonly ListedSession[]> => {
  const ids = await run(listUserScript, keys.user(user))
  const readable: SessionRecord[] = []
  const unreadable: ListedSession[] = []
  for (let start = 0; start < ids.length && readable.length < limit; start += batchSize) {
    const batch = ids.slice(start, start + batchSize)
    const found = await Promise.all(batch.map(async (id) => ({ id, fields: await findStored(run, keys, id) })))
    for (const { id, fields } of found) {
      if (fields === undefined || !mayBelongTo(user, fields) || !mayBeActive(fields, now)) continue
      const session = toListed(id, fields)
      if ('error' in session) unreadable.push(session)
      else readable.push(session)
    }
  }
  return [...readable.sort((a, b) => b.createdAt - a.createdAt), ...unreadable].slice(0, limit)
}

/**
 * Returns whether a session in the index of a user belongs to the user, or has no readable user. An interrupted creation may have left
 * the id of another user's session in the index.
 */
export const mayBelongTo = (user: UserKey, fields: StoredFields): boolean => {
  const owner = findUser(fields)
  return owner === undefined || (owner.issuer === user.issuer && owner.userId === user.userId)
}

/** Returns whether a session has ended. An unreadable end is none. */
export const hasEnded = (fields: StoredFields): boolean => findInstant(fields, 'endedAt') !== undefined

/** Returns whether no readable field of a session says that the session, at `now`, has ended or expired. */
export const mayBeActive = (fields: StoredFields, now: number): boolean =>
  !hasEnded(fields) &&
  ['idleExpiresAt', 'absoluteExpiresAt'].every((name) => now < (findInstant(fields, name) ?? Number.POSITIVE_INFINITY))

const toListed = (id: string, fields: StoredFields): ListedSession => {
  try {
    return parseSession(fields)
  } catch (error) {
    return { id, error }
  }
}
