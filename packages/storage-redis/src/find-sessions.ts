import type { FoundSession, SessionFilter, SessionRecord, UserRef } from '@jwt-auth/core/adapter'
import { byEndAndCreation } from '@jwt-auth/core/internal'
import { scanMembersScript } from './index-scripts.js'
import {
  findInstant,
  findUser,
  parseExpiryMember,
  parseSession,
  type StoredFields,
  toStoredFields,
} from './session-fields.js'
import type { SessionStore } from './session-keys.js'
import { findSessionsScript } from './session-scripts.js'

/** How many sessions are found, ended or deleted concurrently. */
export const batchSize = 64

/** Finds the sessions with these ids, in any order. Missing sessions are absent from the result. */
export const findSessions = async (store: SessionStore, ids: readonly string[]): Promise<readonly FoundSession[]> => {
  const unique = [...new Set(ids)]
  const stored = store.isOneServer
    ? await findAllStored(store, unique)
    : await Promise.all(unique.map((id) => findStored(store, id)))
  return unique.flatMap((id, place) => {
    const fields = stored[place]
    return fields === undefined ? [] : [toFound(id, fields)]
  })
}

/**
 * Finds the sessions in a part of the `expiry:` index. `after` is the number of the index key and
 * the cursor in it.
 */
export const findPage = async (
  store: SessionStore,
  { after = '0:0', limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<{ readonly sessions: readonly FoundSession[]; readonly next: string | undefined }> => {
  const { expiryKeys } = store.keys
  // A cursor may be greater than each safe integer.
  const [place, cursor = '0'] = after.split(':')
  const number = Number(place)
  const [next, ...members] = await store.run(scanMembersScript, expiryKeys[number] ?? '', cursor, String(limit))
  const ids = members.map((member) => parseExpiryMember(member).id)
  const sessions = await findSessions(store, ids)
  if (next !== '0') return { sessions, next: `${number}:${next}` }
  return { sessions, next: number + 1 < expiryKeys.length ? `${number + 1}:0` : undefined }
}

/**
 * Finds the fields of a session, which may be unreadable. Resolves to `undefined` for a missing
 * session.
 */
export const findStored = async (store: SessionStore, id: string): Promise<StoredFields | undefined> =>
  (await findAllStored(store, [id]))[0]

const findAllStored = async (
  { runOnAll, keys }: SessionStore,
  ids: readonly string[],
): Promise<readonly (StoredFields | undefined)[]> =>
  (await runOnAll(findSessionsScript, ids.map(keys.session))).map(toStoredFields)

/**
 * Finds the sessions of a user: those that have not ended, newest first, then the ended ones,
 * latest end first, then those that cannot be read. A session that ends between the two lookups is
 * found in both indexes.
 */
export const listSessions = async (
  store: SessionStore,
  { activeAt, limit, ...user }: SessionFilter,
): Promise<readonly FoundSession[]> => {
  const { runCommand, keys } = store
  const readable = new Map<string, SessionRecord>()
  const unreadable = new Map<string, FoundSession>()

  const collect = async (key: string, isListed: (fields: StoredFields) => boolean): Promise<void> => {
    const ids = await runCommand('ZRANGE', key, '0', '-1', 'REV')
    for (let start = 0; start < ids.length && readable.size < limit; start += batchSize) {
      const batch = ids.slice(start, start + batchSize)
      const found = await Promise.all(batch.map(async (id) => ({ id, fields: await findStored(store, id) })))
      for (const { id, fields } of found) {
        if (fields === undefined || !mayBelongTo(user, fields) || !isListed(fields)) continue
        const session = toFound(id, fields)
        if ('error' in session) unreadable.set(id, session)
        else readable.set(id, session)
      }
    }
  }

  await collect(keys.user(user), (fields) => mayBeActive(fields, activeAt ?? Number.NEGATIVE_INFINITY))
  if (activeAt === undefined) await collect(keys.ended(user), hasEnded)
  return [...readable.values(), ...unreadable.values()].sort(byEndAndCreation).slice(0, limit)
}

/**
 * Returns whether a session in the index of a user belongs to the user, or has no readable user. An
 * interrupted creation may have left the id of another user's session in the index.
 */
export const mayBelongTo = (user: UserRef, fields: StoredFields): boolean => {
  const owner = findUser(fields)
  return owner === undefined || (owner.issuer === user.issuer && owner.userId === user.userId)
}

/** Returns whether a session has ended. An unreadable end counts as no end. */
export const hasEnded = (fields: StoredFields): boolean => findInstant(fields, 'endedAt') !== undefined

/**
 * Returns whether no readable field of a session says that the session, at `now`, has ended or
 * expired.
 */
export const mayBeActive = (fields: StoredFields, now: number): boolean =>
  !hasEnded(fields) &&
  ['idleExpiresAt', 'absoluteExpiresAt'].every((name) => now < (findInstant(fields, name) ?? Number.POSITIVE_INFINITY))

const toFound = (id: string, fields: StoredFields): FoundSession => {
  try {
    return parseSession(fields)
  } catch (error) {
    return { id, error }
  }
}
