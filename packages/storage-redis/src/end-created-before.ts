import type { CreatedBefore, Ending, SessionRecord } from '@jwt-auth/core'
import { endSession, removeFromActive } from './end-session.js'
import { listUpToScript } from './index-scripts.js'
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
    // Entries that stay: expired sessions, and creations in progress.
    let kept = 0
    while (ended < limit) {
      const size = Math.min(batchSize, limit - ended)
      const ids = await run(listUpToScript, key, String(createdBefore - 1), String(kept), String(size))
      if (ids.length === 0) break
      const sessions = await findSessions(run, keys, ids)
      const outcomes = await Promise.all(
        sessions
          .filter((session) => session.issuer === issuer && session.createdAt < createdBefore)
          .map((session) => endOne(run, keys, { session, ending })),
      )
      ended += outcomes.filter((outcome) => outcome === 'ended').length
      kept += ids.length - outcomes.filter((outcome) => outcome !== 'kept').length
    }
  }
  return ended
}

const endOne = async (
  run: RunScript,
  keys: SessionKeys,
  { session, ending }: { readonly session: SessionRecord; readonly ending: Ending },
): Promise<'ended' | 'removed' | 'kept'> => {
  if (session.endedAt === null && !isActive(session, ending.endedAt)) return 'kept'
  const { outcome } = await endSession(run, keys, { session, ending })
  if (outcome === 'ended') return 'ended'
  await removeFromActive(run, keys, session)
  return 'removed'
}
