import type { CreatedBefore, EndOutcome, SessionEnd, UserRef } from '@jwt-auth/core/adapter'
import { batchSize, findStored, hasEnded, mayBeActive, mayBelongTo } from './find-sessions.js'
import { addToUserScript } from './index-scripts.js'
import { findInstant, findUser, parseInstant, type StoredFields, toExpiryMember } from './session-fields.js'
import type { SessionStore } from './session-keys.js'
import { endSessionScript, toBackstop } from './session-scripts.js'

interface EndingSession {
  readonly id: string
  /**
   * The fields as they were just found. The script decides the outcome, because they may have
   * changed since.
   */
  readonly fields: StoredFields
  /** The user of the session, if the caller or the session has it. */
  readonly user: UserRef | undefined
  readonly ending: SessionEnd
}

/**
 * Ends a session, which may be unreadable. Without a known user, its index entries stay until the
 * session is deleted.
 */
export const endSession = async (
  store: SessionStore,
  { id, fields, user, ending }: EndingSession,
): Promise<EndOutcome> => {
  const { run, runCommand, keys } = store
  const held = findInstant(fields, 'endedAt')
  if (held !== undefined) {
    return { outcome: 'already-ended', endedAt: held, endReason: fields.get('endReason') ?? '' }
  }
  const endedAt = String(ending.endedAt)
  const selectorHash = fields.get('selectorHash')
  if (user !== undefined) {
    const backstop = toBackstop(findInstant(fields, 'absoluteExpiresAt') ?? 0)
    await Promise.all([
      run(addToUserScript, keys.ended(user), 'GT', id, endedAt, backstop),
      selectorHash !== undefined &&
        runCommand('ZADD', keys.expiry(id), 'LT', endedAt, toExpiryMember({ ...user, id, selectorHash })),
    ])
  }
  const values = [endedAt, ending.endReason, fields.get('user') ?? '']
  const [outcome, heldEndedAt = '', heldEndReason = ''] = await run(endSessionScript, keys.session(id), ...values)
  if (outcome === 'not-found') return { outcome }
  if (outcome !== 'ended') {
    return { outcome: 'already-ended', endedAt: parseInstant(heldEndedAt, 'endedAt'), endReason: heldEndReason }
  }
  if (user !== undefined) await removeActiveEntries(store, id, user)
  return { outcome }
}

/** Ends the sessions of a user that have not ended. Resolves to how many it ended. */
export const endUserSessions = async (store: SessionStore, ending: UserRef & SessionEnd): Promise<number> => {
  const endOne = async (id: string): Promise<boolean> => {
    const fields = await findStored(store, id)
    if (fields === undefined || !mayBelongTo(ending, fields)) return false
    const { outcome } = await endSession(store, { id, fields, user: ending, ending })
    return outcome === 'ended'
  }
  const ids = await store.runCommand('ZRANGE', store.keys.user(ending), '0', '-1', 'REV')
  const failures: unknown[] = []
  let ended = 0
  for (let start = 0; start < ids.length; start += batchSize) {
    ended += await countEnded(ids.slice(start, start + batchSize), endOne, failures)
  }
  if (failures.length > 0) throw failures[0]
  return ended
}

/**
 * Ends the active sessions of an issuer that were created before an instant, at most `limit`.
 * Resolves to how many it ended. Ended sessions are removed from the `created:` index, so that the
 * next call does not find them again.
 */
export const endCreatedBefore = async (store: SessionStore, created: CreatedBefore): Promise<number> => {
  const { issuer, createdBefore, limit } = created
  const failures: unknown[] = []
  let ended = 0
  for (const key of store.keys.createdKeys(issuer)) {
    let from = '-inf'
    // The ids that were already found at this instant. Some entries stay (expired sessions,
    // creations in progress), and concurrent calls remove others: an offset would skip entries.
    let seen: ReadonlySet<string> = new Set()
    while (ended < limit) {
      const count = Math.min(batchSize, limit - ended) + seen.size
      const range = [from, String(createdBefore - 1), 'WITHSCORES', 'LIMIT', '0', String(count)]
      const flat = await store.runCommand('ZRANGEBYSCORE', key, ...range)
      const entries = flat.flatMap((id, index) => (index % 2 === 0 ? [{ id, time: flat[index + 1] ?? '' }] : []))
      const ids = entries.map(({ id }) => id).filter((id) => !seen.has(id))
      if (ids.length === 0) break
      const last = entries.at(-1)?.time ?? from
      const idsAtLast = entries.filter(({ time }) => time === last).map(({ id }) => id)
      seen = new Set(last === from ? [...seen, ...idsAtLast] : idsAtLast)
      from = last
      ended += await countEnded(ids, (id) => endIfCreatedBefore(store, id, created), failures)
    }
  }
  if (failures.length > 0) throw failures[0]
  return ended
}

/**
 * Ends sessions concurrently, and returns how many it ended. Adds the failures of the others to
 * `failures`.
 */
const countEnded = async (
  ids: readonly string[],
  endOne: (id: string) => Promise<boolean>,
  failures: unknown[],
): Promise<number> => {
  const outcomes = await Promise.allSettled(ids.map(endOne))
  failures.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])))
  return outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length
}

/**
 * Ends a session if it may be active and may have been created before the instant. Resolves to
 * whether it ended the session.
 */
const endIfCreatedBefore = async (store: SessionStore, id: string, created: CreatedBefore): Promise<boolean> => {
  const fields = await findStored(store, id)
  if (fields === undefined) return false
  const user = findUser(fields)
  // The index sorts sessions by the time of their creation. If this time cannot be read in the
  // session, its place in the index decides.
  const createdAt = findInstant(fields, 'createdAt') ?? Number.NEGATIVE_INFINITY
  if ((user !== undefined && user.issuer !== created.issuer) || createdAt >= created.createdBefore) return false
  if (!hasEnded(fields) && !mayBeActive(fields, created.endedAt)) return false
  const { outcome } = await endSession(store, { id, fields, user, ending: created })
  if (outcome === 'ended') return true
  if (user !== undefined) await removeActiveEntries(store, id, user)
  return false
}

/** Removes the entries of a session from the indexes of sessions that have not ended. */
const removeActiveEntries = async ({ runCommand, keys }: SessionStore, id: string, user: UserRef): Promise<void> => {
  const indexes = [keys.user(user), keys.created({ ...user, id })]
  await Promise.all(indexes.map((key) => runCommand('ZREM', key, id)))
}
