import { setImmediate } from 'node:timers/promises'
import { readInteger } from '../options/option-checks.js'
import type { ServiceParts } from './service-parts.js'

// A row outlives the last token of its session by a day, so that "already revoked" stays the answer it was. No token is
// issued once a session is over, so that the last one ends within one token's life of that.
const keptAfterLastTokenMs = 24 * 60 * 60 * 1000

/** Deletes what is over for good, a batch at a time; answers how many. A service that closes finishes the batch, not the rest. */
export const purge = async (
  { storage, system, policy, closing }: ServiceParts,
  options: { readonly batch?: number | undefined },
): Promise<number> => {
  const batch = readInteger('batch', options.batch, { min: 1, max: 10_000, default: 100, unit: 'sessions' })
  const expiredBefore = system.now() - policy.accessTokenSeconds * 1000 - keptAfterLastTokenMs
  let total = 0
  for (;;) {
    const deleted = await storage.deleteExpired(expiredBefore, batch)
    total += deleted
    if (deleted < batch) return total
    // SQLite works in this thread, and its promises are there at once: without this nobody else would have a turn until the end.
    await setImmediate()
    if (closing.aborted) return total
  }
}
