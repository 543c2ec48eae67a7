import { setImmediate } from 'node:timers/promises'
import type { ServiceContext } from './service-context.js'

/** What became of work in batches: how many sessions it changed, and whether it came to its end before the service closed. */
export interface BatchedWork {
  readonly total: number
  readonly isComplete: boolean
}

/**
 * Calls storage until a call changes fewer sessions than a whole batch. A service that closes finishes the batch in progress, and
 * starts no other one.
 */
export const inBatches = async (
  { closing }: Pick<ServiceContext, 'closing'>,
  batch: number,
  change: () => Promise<number>,
): Promise<BatchedWork> => {
  let total = 0
  for (;;) {
    const changed = await change()
    total += changed
    if (changed < batch) return { total, isComplete: true }
    // SQLite works in this thread and its promises settle immediately: without this no request would have a turn until the end.
    await setImmediate()
    if (closing.aborted) return { total, isComplete: false }
  }
}
