import { removeForeignEntries } from './create-session.js'
import { batchSize } from './find-sessions.js'
import { freeSelectorScript, listUpToScript, moveScript, removeMemberScript } from './index-scripts.js'
import { type IndexedSession, parseExpiryMember, toExpiryMember } from './session-fields.js'
import type { SessionStore } from './session-keys.js'
import { deleteSessionScript, freeIdScript } from './session-scripts.js'

/**
 * Deletes at most `limit` sessions that had ended or expired at an instant. Resolves to how many it
 * deleted.
 */
export const deleteExpired = async (store: SessionStore, expiredBefore: number, limit: number): Promise<number> => {
  const until = String(expiredBefore)
  let count = 0
  for (const key of store.keys.expiryKeys) {
    while (count < limit) {
      const members = await store.run(listUpToScript, key, until, String(Math.min(batchSize, limit - count)))
      if (members.length === 0) break
      const results = await Promise.all(members.map((member) => deleteOne(store, member, until)))
      count += results.filter((isDeleted) => isDeleted).length
    }
  }
  return count
}

/**
 * Removes an entry, or moves it past the instant, so that the loop ends. Resolves to whether it
 * deleted a session.
 */
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
  await run(removeMemberScript, keys.expiry(session.id), toExpiryMember(session))
}
