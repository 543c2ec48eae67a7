import type { CreatedBefore, Ending, SessionRecord } from '@jwt-auth/core'
import { endSession, removeFromActive } from './end-session.js'
import { listFromScript } from './index-scripts.js'
import { batchSize, findSessions, isActive } from './read-sessions.js'
import type { RunScript } from './run-script.js'
import type { SessionKeys } from './session-keys.js'

/**
 * Goes through the created keys of an issuer and ends the active sessions created before the instant, at most `limit`. Resolves to
 * how many it ended. What it ended leaves the keys, so that the next call starts behind it.
 */
export const endCreatedBefore = async (
  run: RunScript,
  keys: SessionKeys,
  { created, ending }: { readonly created: CreatedBefore; readonly ending: Ending },
): Promise<number> => {
  const { issuer, createdBefore, limit } = created
  let ended = 0
  for (const key of keys.createdKeys(issuer)) {
    let place: Place = { from: '-inf', seen: new Set() }
    while (ended < limit) {
      const size = Math.min(batchSize, limit - ended)
      const page = await readPage(run, key, { place, createdBefore, size })
      if (page.ids.length === 0) break
      place = page.next
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

/** Where a walk through a key continues: at a time, behind the entries that it has seen with this time. */
interface Place {
  readonly from: string
  readonly seen: ReadonlySet<string>
}

// Entries stay (expired sessions, creations in progress) or are removed by others meanwhile: an offset would skip entries.
const readPage = async (
  run: RunScript,
  key: string,
  { place, createdBefore, size }: { readonly place: Place; readonly createdBefore: number; readonly size: number },
): Promise<{ readonly ids: readonly string[]; readonly next: Place }> => {
  const { from, seen } = place
  const flat = await run(listFromScript, key, from, String(createdBefore - 1), String(size + seen.size))
  const entries = flat.flatMap((id, position) => (position % 2 === 0 ? [{ id, time: flat[position + 1] ?? '' }] : []))
  const last = entries.at(-1)?.time ?? from
  const ofLast = entries.filter(({ time }) => time === last).map(({ id }) => id)
  return {
    ids: entries.map(({ id }) => id).filter((id) => !seen.has(id)),
    next: { from: last, seen: new Set(last === from ? [...seen, ...ofLast] : ofLast) },
  }
}

/** Resolves to whether the session was active and has been ended. */
const endOne = async (
  run: RunScript,
  keys: SessionKeys,
  { session, ending }: { readonly session: SessionRecord; readonly ending: Ending },
): Promise<boolean> => {
  if (session.endedAt === null && !isActive(session, ending.endedAt)) return false
  const { outcome } = await endSession(run, keys, { session, ending })
  if (outcome === 'ended') return true
  await removeFromActive(run, keys, session)
  return false
}
