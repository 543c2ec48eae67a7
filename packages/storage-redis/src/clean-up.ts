import { removeForeignEntries } from './create-session.js'
import { batchSize } from './find-sessions.js'
import { freeSelectorScript } from './index-scripts.js'
import { type IndexedSession, parseExpiryMember, toExpiryMember } from './session-fields.js'
import type { SessionStore } from './session-keys.js'
import { deleteSessionScript, freeIdScript } from './session-scripts.js'

/**
 * Deletes at most `limit` sessions that had ended or expired at an instant. Resolves to how many it
 * deleted.
 */
export const deleteExpired = async (store: SessionStore, before: number, limit: number): Promise<number> => {
  const until = String(before)
  let count = 0
  for (const key of store.keys.expiryKeys) {
    while (count < limit) {
      const size = String(Math.min(batchSize, limit - count))
      const members = await store.runCommand('ZRANGEBYSCORE', key, '-inf', until, 'LIMIT', '0', size)
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
  const { run, runCommand, keys } = store
  const session = parseExpiryMember(member)
  const { id, selectorHash } = session
  const [outcome, first = '', second = ''] = await run(deleteSessionScript, keys.session(id), until, selectorHash)
  const isDeleted = outcome === 'deleted'
  if (outcome === 'not-expired') await runCommand('ZADD', keys.expiry(id), 'XX', first, member)
  else if (outcome === 'another') await removeForeignEntries(store, session, { selectorHash: first, user: second })
  else await removeEntries(store, session)
  if (isDeleted) await run(freeIdScript, keys.session(id))
  return isDeleted
}

// The entry in the expiry key is last: a later call finds the session again after an interruption.
const removeEntries = async ({ run, runCommand, keys }: SessionStore, session: IndexedSession): Promise<void> => {
  await run(freeSelectorScript, keys.selector(session.selectorHash), session.id)
  await runCommand('ZREM', keys.user(session), session.id)
  await runCommand('ZREM', keys.ended(session), session.id)
  await runCommand('ZREM', keys.created(session), session.id)
  await runCommand('ZREM', keys.expiry(session.id), toExpiryMember(session))
}
