import type { Effort, Setting } from '../comparison.js'
import { type Measured, takeTurns } from '../measure/take-turns.js'
import { measureStore, type Repetition, type RoundTimes } from '../scale/measure-store.js'
import type { SizedStore } from '../scale/sized-store.js'
import { drawNumbers } from '../scale/storage-operations.js'

const repetitionOf = ({ isSmoke }: Effort): Repetition =>
  isSmoke ? { calls: 10, batches: 2, batchSize: 10 } : { calls: 300, batches: 10, batchSize: 100 }

/** Throws when a store of the smallest size would be cleaned out before all rounds are over: a tenth of its sessions are. */
export const refuseSmallSizes = (effort: Effort): void => {
  const { batches, batchSize } = repetitionOf(effort)
  const least = 10 * effort.rounds * batches * batchSize
  if (Math.min(...effort.sizes) >= least) return
  throw new Error(`--sizes takes ${least.toLocaleString('en')} sessions or more with ${effort.rounds} rounds.`)
}

/** Measures stores in turns, one after another, each at sessions of its own that no turn before was about. */
export const measureStores = (
  { effort, tell }: Setting,
  stores: readonly SizedStore[],
): Promise<Measured<SizedStore, RoundTimes>> => {
  const repetition = repetitionOf(effort)
  const numbers = new Map(stores.map((store) => [store, drawNumbers(store.size)]))
  return takeTurns(
    stores,
    async (store, round) => {
      const times = await measureStore(store, numbers.get(store) ?? drawNumbers(store.size), repetition)
      const { name, size, schema } = store
      tell(`round ${round + 1}: ${name} ${size.toLocaleString('en')} ${schema.title} ${JSON.stringify(times)}`)
      return times
    },
    { ...effort, atOnce: 1 },
  )
}
