import { median } from '../measure/statistics.js'
import { lookedAt, openedAt } from './numbered-session.js'
import type { SizedStore } from './sized-store.js'
import { storageOperations } from './storage-operations.js'

/** Median times of one round, in microseconds, by the operation's name. */
export type RoundTimes = Readonly<Record<string, number>>

/** How often each operation runs in a round, and how many sessions a batch of the clean-up has. */
export interface Repetition {
  readonly calls: number
  readonly batches: number
  readonly batchSize: number
}

/** Measures every operation of a store once more, each with sessions that no operation was about yet. */
export const measureStore = async (
  store: SizedStore,
  numbers: Iterator<number, never>,
  { calls, batches, batchSize }: Repetition,
): Promise<RoundTimes> => {
  const times: Record<string, number> = {}
  for (const { name, run } of storageOperations) {
    times[name] = await medianTime(calls, () => run(store, numbers.next().value))
  }
  times['purge batch'] = await medianTime(batches, async () => {
    const deleted = await store.storage.deleteExpired(lookedAt, batchSize)
    if (deleted !== batchSize) throw new Error(`A batch deleted ${deleted} sessions instead of ${batchSize}.`)
  })
  times['purge that finds nothing'] = await medianTime(batches, async () => {
    const deleted = await store.storage.deleteExpired(openedAt, batchSize)
    if (deleted !== 0) throw new Error(`${deleted} sessions were deleted that are not over.`)
  })
  return times
}

const medianTime = async (count: number, run: () => Promise<void>): Promise<number> => {
  const times: number[] = []
  for (let turn = 0; turn < count; turn += 1) {
    const begin = performance.now()
    await run()
    times.push((performance.now() - begin) * 1000)
  }
  return median(times)
}
