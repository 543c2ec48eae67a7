import type { CreatedBefore, EndOutcome, SessionEnd, SessionRecord, UserKey } from '@jwt-auth/core'
import { batchSize, findSessions, findUserSessions, isActive } from './find-sessions.js'
import { addEarliestScript, listFromScript, removeMemberScript } from './index-scripts.js'
import type { RunScript } from './script-runner.js'
import { parseInstant, toExpiryMember, toUserText } from './session-fields.js'
import type { SessionKeys } from './session-keys.js'
import { endSessionScript } from './session-scripts.js'

/** Ends a session that was just found. The script decides the outcome, because the session may have changed since. */
export const endSession = async (
  run: RunScript,
  keys: SessionKeys,
  { session, ending }: { readonly session: SessionRecord | undefined; readonly ending: SessionEnd },
): Promise<EndOutcome> => {
  if (session === undefined) return { outcome: 'not-found' }
  if (session.endedAt !== null) {
    return { outcome: 'already-ended', endedAt: session.endedAt, endReason: session.endReason ?? '' }
  }
  const endedAt = String(ending.endedAt)
  await run(addEarliestScript, keys.expiry(session.id), toExpiryMember(session), endedAt)
  const [outcome, heldEndedAt = '', heldEndReason = ''] = await run(
    endSessionScript,
    keys.session(session.id),
    endedAt,
    ending.endReason,
    toUserText(session),
  )
  if (outcome === 'ended') {
    await removeActiveEntries(run, keys, session)
    return { outcome }
  }
  if (outcome === 'not-found') return { outcome }
  return { outcome: 'already-ended', endedAt: parseInstant(heldEndedAt, 'endedAt'), endReason: heldEndReason }
}

/** Ends the sessions of a user that have not ended. Resolves to how many it ended. */
export const endUserSessions = async (
  run: RunScript,
  keys: SessionKeys,
  { user, ending }: { readonly user: UserKey; readonly ending: SessionEnd },
): Promise<number> => {
  let ended = 0
  for await (const sessions of findUserSessions(run, keys, user)) {
    const outcomes = await Promise.all(sessions.map((session) => endSession(run, keys, { session, ending })))
    ended += outcomes.filter(({ outcome }) => outcome === 'ended').length
  }
  return ended
}

/**
 * Ends the active sessions of an issuer that were created before an instant, at most `limit`. Resolves to how many it ended.
 * Ended sessions are removed from the `created:` index, so that the next call does not find them again.
 */
export const endCreatedBefore = async (
  run: RunScript,
  keys: SessionKeys,
  { created, ending }: { readonly created: CreatedBefore; readonly ending: SessionEnd },
): Promise<number> => {
  const { issuer, createdBefore, limit } = created
  let ended = 0
  for (const key of keys.createdKeys(issuer)) {
    let position: Position = { from: '-inf', seen: new Set() }
    while (ended < limit) {
      const size = Math.min(batchSize, limit - ended)
      const page = await findPage(run, key, { position, createdBefore, size })
      if (page.ids.length === 0) break
      position = page.next
      const sessions = await findSessions(run, keys, page.ids)
      const outcomes = await Promise.all(
        sessions
          .filter((session) => session.issuer === issuer && session.createdAt < createdBefore)
          .map((session) => endOne(run, keys, { session, ending })),
      )
      ended += outcomes.filter((isEnded) => isEnded).length
    }
  }
  return ended
}

/** The position in a key of the `created:` index: an instant, and the ids already seen at this instant. */
interface Position {
  readonly from: string
  readonly seen: ReadonlySet<string>
}

// Some entries stay (expired sessions, creations in progress), and concurrent calls remove others: an offset would skip entries.
const findPage = async (
  run: RunScript,
  key: string,
  {
    position,
    createdBefore,
    size,
  }: { readonly position: Position; readonly createdBefore: number; readonly size: number },
): Promise<{ readonly ids: readonly string[]; readonly next: Position }> => {
  const { from, seen } = position
  const flat = await run(listFromScript, key, from, String(createdBefore - 1), String(size + seen.size))
  const entries = flat.flatMap((id, index) => (index % 2 === 0 ? [{ id, time: flat[index + 1] ?? '' }] : []))
  const last = entries.at(-1)?.time ?? from
  const idsAtLast = entries.filter(({ time }) => time === last).map(({ id }) => id)
  return {
    ids: entries.map(({ id }) => id).filter((id) => !seen.has(id)),
    next: { from: last, seen: new Set(last === from ? [...seen, ...idsAtLast] : idsAtLast) },
  }
}

/** Ends a session if it is active. Resolves to whether it ended the session. */
const endOne = async (
  run: RunScript,
  keys: SessionKeys,
  { session, ending }: { readonly session: SessionRecord; readonly ending: SessionEnd },
): Promise<boolean> => {
  if (session.endedAt === null && !isActive(session, ending.endedAt)) return false
  const { outcome } = await endSession(run, keys, { session, ending })
  if (outcome === 'ended') return true
  await removeActiveEntries(run, keys, session)
  return false
}

/** Removes the entries of a session from the indexes of sessions that have not ended. */
const removeActiveEntries = async (run: RunScript, keys: SessionKeys, session: SessionRecord): Promise<void> => {
  await Promise.all([
    run(removeMemberScript, keys.user(session), session.id),
    run(removeMemberScript, keys.created(session), session.id),
  ])
}
