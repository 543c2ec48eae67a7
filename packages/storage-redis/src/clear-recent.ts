import { listUpToScript, moveScript, removeUpToScript } from './index-scripts.js'
import { batchSize } from './read-sessions.js'
import type { RunScript } from './run-script.js'
import type { SessionKeys } from './session-keys.js'
import { clearRecentScript } from './session-scripts.js'

/**
 * Goes through the recent keys and empties the recent verifiers of sessions that rotated at or before the instant, at most `limit`.
 * Resolves to how many lists it emptied. An entry is removed, or moved to its session's last rotation, so that the walk ends.
 */
export const clearRecent = async (
  run: RunScript,
  keys: SessionKeys,
  { rotatedBefore, limit }: { readonly rotatedBefore: number; readonly limit: number },
): Promise<number> => {
  const until = String(rotatedBefore)
  let cleared = 0
  for (const key of keys.recentKeys) {
    while (cleared < limit) {
      const size = Math.min(batchSize, limit - cleared)
      const ids = await run(listUpToScript, key, until, String(size))
      if (ids.length === 0) break
      const outcomes = await Promise.all(ids.map((id) => clearOne(run, keys, { id, until })))
      cleared += outcomes.filter((outcome) => outcome === 'cleared').length
    }
  }
  return cleared
}

const clearOne = async (
  run: RunScript,
  keys: SessionKeys,
  { id, until }: { readonly id: string; readonly until: string },
): Promise<string | undefined> => {
  const [outcome, rotatedAt = ''] = await run(clearRecentScript, keys.session(id), until)
  if (outcome === 'later') await run(moveScript, keys.recent(id), id, rotatedAt)
  else await run(removeUpToScript, keys.recent(id), id, until)
  return outcome
}
