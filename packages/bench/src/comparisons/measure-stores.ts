import type { Setting } from '../comparison.js'
import { type Measured, takeTurns } from '../measure/take-turns.js'
import { measureStore, type RoundTimes } from '../scale/measure-store.js'
import type { SizedStore } from '../scale/sized-store.js'
import { drawNumbers } from '../scale/storage-operations.js'

/** Measures stores in turns, one after another, each at sessions of its own that no turn before was about. */
export const measureStores = (
  { effort, tell }: Setting,
  stores: readonly SizedStore[],
): Promise<Measured<SizedStore, RoundTimes>> => {
  const numbers = new Map(stores.map((store) => [store, drawNumbers(store.size)]))
  const repetition = effort.isSmoke
    ? { calls: 10, batches: 2, batchSize: 10 }
    : { calls: 300, batches: 10, batchSize: 100 }
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
