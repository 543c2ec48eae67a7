import { readInteger } from '../option-checks.js'
import { inBatches } from './in-batches.js'
import type { ServiceContext } from './service-context.js'

// A row outlives the last token of its session by a day, so that "already revoked" stays the same response. No token is
// issued once a session has ended, so that the last one expires within one token's life of that.
const keptAfterLastTokenMs = 24 * 60 * 60 * 1000

// Twice the longest grace window: clocks differ, and so may the windows of two instances during a deployment.
const clearedAfterMs = 600 * 1000

/**
 * Deletes sessions whose last token expired a day ago, and removes recent verifiers whose grace window has passed, a batch at a time.
 * Resolves to how many sessions it deleted. A service that closes finishes the batch in progress, not the rest.
 */
export const purge = async (
  context: ServiceContext,
  options: { readonly batch?: number | undefined },
): Promise<number> => {
  const { storage, system, policy } = context
  const batch = readInteger('batch', options.batch, { min: 1, max: 10_000, default: 100, unit: 'sessions' })
  const now = system.now()
  const expiredBefore = now - policy.accessTokenLifetimeSeconds * 1000 - keptAfterLastTokenMs
  const deletion = await inBatches(context, batch, () => storage.deleteExpired(expiredBefore, batch))
  if (deletion.isComplete) {
    await inBatches(context, batch, () => storage.clearRecentVerifiers(now - clearedAfterMs, batch))
  }
  return deletion.total
}
