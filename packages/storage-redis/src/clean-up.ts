import { removeForeignEntries } from './create-session.js'
import { freeSelectorScript, listUpToScript, moveScript, removeMemberScript } from './index-scripts.js'
import { batchSize } from './read-sessions.js'
import type { RunScript } from './run-script.js'
import { type IndexedSession, readOverMember, type SessionKeys, toExpiryMember, toUserText } from './session-keys.js'
import { deleteSessionScript, freeIdScript } from './session-scripts.js'

/**
 * Goes through the expiry keys and deletes sessions that were over at the instant, at most `limit`; answers how many. An entry met
 * is deleted, moved to its session's later time, or removed, so that the walk comes to an end.
 */
export const deleteExpired = async (
  run: RunScript,
  keys: SessionKeys,
  { expiredBefore, limit }: { readonly expiredBefore: number; readonly limit: number },
): Promise<number> => {
  let deleted = 0
  for (const expiryKey of keys.expiryKeys) {
    while (deleted < limit) {
      const size = Math.min(batchSize, limit - deleted)
      const members = await run(listUpToScript, expiryKey, String(expiredBefore), String(size))
      if (members.length === 0) break
      const counts = await Promise.all(members.map((member) => deleteOne(run, keys, { member, expiredBefore })))
      deleted += counts.filter((isDeleted) => isDeleted).length
    }
  }
  return deleted
}

const deleteOne = async (
  run: RunScript,
  keys: SessionKeys,
  { member, expiredBefore }: { readonly member: string; readonly expiredBefore: number },
): Promise<boolean> => {
  const session = readOverMember(member)
  const [outcome, first = '', second = ''] = await run(
    deleteSessionScript,
    keys.session(session.id),
    String(expiredBefore),
    session.selectorHash,
    toUserText(session),
  )
  switch (outcome) {
    case 'not-expired':
      await run(moveScript, keys.expiry(session.id), member, first)
      return false
    case 'another':
      await removeForeignEntries(run, keys, session, { selectorHash: first, user: second })
      return false
    case 'deleted':
      await removeEntries(run, keys, session)
      await run(freeIdScript, keys.session(session.id))
      return true
    default:
      await removeEntries(run, keys, session)
      return false
  }
}

/** The expiry key is last: what breaks off before it is taken up by the next walk. */
const removeEntries = async (run: RunScript, keys: SessionKeys, session: IndexedSession): Promise<void> => {
  await run(freeSelectorScript, keys.selector(session.selectorHash), session.id)
  await run(removeMemberScript, keys.user(session), session.id)
  await run(removeMemberScript, keys.created(session), session.id)
  await run(removeMemberScript, keys.recent(session.id), session.id)
  await run(removeMemberScript, keys.expiry(session.id), toExpiryMember(session))
}
