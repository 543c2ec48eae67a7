import { removeForeignEntries } from './create-session.js'
import { batchSize } from './find-sessions.js'
import {
  freeSelectorScript,
  listUpToScript,
  moveScript,
  removeMemberScript,
  removeUpToScript,
} from './index-scripts.js'
import { type IndexedSession, parseExpiryMember, toExpiryMember } from './session-fields.js'
import type { SessionStore } from './session-keys.js'
import { clearRecentScript, deleteSessionScript, freeIdScript } from './session-scripts.js'

/**
 * Empties the recent verifiers of at most `limit` sessions that rotated at or before an instant.
 * Resolves to how many lists it emptied.
 */
export const clearRecent = (store: SessionStore, rotatedBefore: number, limit: number): Promise<number> => {
  const until = String(rotatedBefore)
  const entries: Entries = { indexKeys: store.keys.recentKeys, until, limit }
  return processEntries(store, entries, (id) => clearOne(store, id, until))
}

/**
 * Deletes at most `limit` sessions that had ended or expired at an instant. Resolves to how many it
 * deleted.
 */
export const deleteExpired = (store: SessionStore, expiredBefore: number, limit: number): Promise<number> => {
  const until = String(expiredBefore)
  const entries: Entries = { indexKeys: store.keys.expiryKeys, until, limit }
  return processEntries(store, entries, (member) => deleteOne(store, member, until))
}

/** The entries of an index up to an instant. `limit` is the most entries to count. */
interface Entries {
  readonly indexKeys: readonly string[]
  readonly until: string
  readonly limit: number
}

/**
 * Processes the entries in batches. Resolves to the number of entries for which `processEntry`
 * resolved to `true`. `processEntry` must remove each entry or move it past the instant, so that
 * the loop ends. It resolves to whether the entry is counted.
 */
const processEntries = async (
  { run }: SessionStore,
  { indexKeys, until, limit }: Entries,
  processEntry: (entry: string) => Promise<boolean>,
): Promise<number> => {
  let count = 0
  for (const key of indexKeys) {
    while (count < limit) {
      const entries = await run(listUpToScript, key, until, String(Math.min(batchSize, limit - count)))
      if (entries.length === 0) break
      const results = await Promise.all(entries.map(processEntry))
      count += results.filter((isCounted) => isCounted).length
    }
  }
  return count
}

const clearOne = async ({ run, keys }: SessionStore, id: string, until: string): Promise<boolean> => {
  const [outcome, rotatedAt = ''] = await run(clearRecentScript, keys.session(id), until)
  if (outcome === 'later') await run(moveScript, keys.recent(id), id, rotatedAt)
  else await run(removeUpToScript, keys.recent(id), id, until)
  return outcome === 'cleared'
}

const deleteOne = async (store: SessionStore, member: string, until: string): Promise<boolean> => {
  const { run, keys } = store
  const session = parseExpiryMember(member)
  const [outcome, first = '', second = ''] = await run(
    deleteSessionScript,
    keys.session(session.id),
    until,
    session.selectorHash,
  )
  switch (outcome) {
    case 'not-expired':
      await run(moveScript, keys.expiry(session.id), member, first)
      return false
    case 'another':
      await removeForeignEntries(store, session, { selectorHash: first, user: second })
      return false
    case 'deleted':
      await removeEntries(store, session)
      await run(freeIdScript, keys.session(session.id))
      return true
    default:
      await removeEntries(store, session)
      return false
  }
}

// The entry in the expiry key is last: a later call finds the session again after an interruption.
const removeEntries = async ({ run, keys }: SessionStore, session: IndexedSession): Promise<void> => {
  await run(freeSelectorScript, keys.selector(session.selectorHash), session.id)
  await run(removeMemberScript, keys.user(session), session.id)
  await run(removeMemberScript, keys.ended(session), session.id)
  await run(removeMemberScript, keys.created(session), session.id)
  await run(removeMemberScript, keys.recent(session.id), session.id)
  await run(removeMemberScript, keys.expiry(session.id), toExpiryMember(session))
}
