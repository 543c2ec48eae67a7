import { AuthError, toAuthError } from '../errors/auth-error.js'
import { readInstant } from '../option-checks.js'
import type { EndReason } from '../session/end-reason.js'
import { afterInput } from '../system.js'
import type { ServiceContext } from './service-context.js'

// A record is kept for a day after its last token expired, so that the response to that token stays
// "already revoked". No token is issued after a session has ended. The last token therefore expires
// at most one token lifetime later.
const keptAfterLastTokenMs = 24 * 60 * 60 * 1000

// SQLite works in this thread, so that requests wait for a batch. On a server, a long batch delays
// other statements.
const batchMs = 5
// The smaller batches of a purge end soon. Behind a slow network, all batches have this size.
const minPurged = 10
const maxBatch = 1_000

/**
 * Deletes sessions whose last token expired a day ago, in batches. Resolves to how many sessions it
 * deleted. A service that closes finishes the batch in progress.
 */
export const purge = async (context: ServiceContext): Promise<number> => {
  const { storage, system, policy } = context
  const expiredBefore = system.now() - policy.accessTokenLifetimeSeconds * 1000 - keptAfterLastTokenMs
  const { total } = await inBatches(context, minPurged, (limit) =>
    storage.deleteExpired({ before: expiredBefore, limit }),
  )
  context.emit({ type: 'purge_finished', deleted: total, at: new Date(system.now()) })
  return total
}

// With the variation, the first purge takes place between 36 minutes and an hour after the start.
const firstPurgeSeconds = 48 * 60

/**
 * Purges until the service closes, at intervals that vary by a quarter, so that instances do not
 * purge together. A failure is reported. The next purge still takes place.
 */
export const purgeRegularly = (
  { closing, system, report }: ServiceContext,
  intervalSeconds: number,
  purgeOnce: () => Promise<unknown>,
): void => {
  let stopTimer = (): void => {}
  const wait = (seconds: number): void => {
    if (closing.aborted) return
    const factor = 0.75 + system.randomBytes(1).readUInt8() / 510
    stopTimer = system.startTimer(Math.round(seconds * 1000 * factor), run)
  }
  const run = (): void => {
    purgeOnce()
      .catch((thrown: unknown) => report(toAuthError(thrown)))
      .finally(() => wait(intervalSeconds))
  }
  wait(Math.min(firstPurgeSeconds, intervalSeconds))
  closing.addEventListener('abort', () => stopTimer())
}

const reason = 'created_before' satisfies EndReason

/**
 * Ends every active session of the service that was opened before an instant, in batches. Resolves
 * to how many it ended.
 *
 * @throws AuthError `jwt_auth_unavailable` when the storage fails or the service closes before all
 *   sessions were ended; call it again then
 */
export const revokeAllCreatedBefore = async (context: ServiceContext, instant: unknown): Promise<number> => {
  const { storage, system, emit } = context
  const at = system.now()
  const before = readInstant('instant', instant)
  const { total, isComplete } = await inBatches(context, maxBatch, (limit) =>
    storage.endCreatedBefore({ createdBefore: before.getTime(), limit, endedAt: at, endReason: reason }),
  )
  if (total > 0) {
    emit({ type: 'sessions_ended_before', createdBefore: before, count: total, at: new Date(at), reason })
  }
  if (isComplete) return total
  const cause = new Error('jwt-auth: close() was called before all sessions were ended.')
  throw new AuthError('jwt_auth_unavailable', { cause })
}

// Repeats a change until it changes fewer sessions than a whole batch. The first batch is the
// smallest. Each later batch follows from how long the batch before took. The work is not complete
// if the service closed before.
const inBatches = async (
  { closing, system }: ServiceContext,
  minBatch: number,
  change: (limit: number) => Promise<number>,
): Promise<{ readonly total: number; readonly isComplete: boolean }> => {
  let total = 0
  let limit = minBatch
  for (;;) {
    const startedAt = system.monotonicMs()
    const changed = await change(limit)
    total += changed
    if (changed < limit) return { total, isComplete: true }
    const tookMs = system.monotonicMs() - startedAt
    if (tookMs >= batchMs) limit = Math.max(minBatch, Math.floor(limit / 2))
    else if (tookMs < batchMs / 2) limit = Math.min(maxBatch, limit * 2)
    await afterInput()
    if (closing.aborted) return { total, isComplete: false }
  }
}
