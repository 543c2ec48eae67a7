import { findDatabases } from '@jwt-auth/test-support'
import type { Comparison, Effort, Findings, Setting } from '../comparison.js'
import { median } from '../measure/statistics.js'
import { takeTurns } from '../measure/take-turns.js'
import { lookedAt } from '../scale/numbered-session.js'
import { createSizedStore, type SizedStore } from '../scale/sized-store.js'
import { drawNumbers, storageOperations } from '../scale/storage-operations.js'
import { type RoundTimes, toScaleFindings } from './scale-findings.js'

/** Stores of several sizes. */
export const scale: Comparison = {
  name: 'scale',
  summary: 'stores with a hundred thousand to five million sessions: times and sizes',
  method:
    'One client, one connection, sessions drawn from all over the table, four for each user, a tenth of them over; each operation runs through our storage and knex and is checked. Times are medians in each round.',
  run: async (setting) => {
    const { effort, tell } = setting
    const servers = (await findDatabases()).filter(({ name }) => name !== 'MariaDB')
    const stores: SizedStore[] = []
    try {
      for (const server of servers) {
        for (const size of effort.sizes) stores.push(await createSizedStore(server, size, tell))
      }
      return await compare(setting, stores)
    } finally {
      for (const { drop } of stores) await drop()
    }
  },
}

const compare = async ({ effort, tell }: Setting, stores: readonly SizedStore[]): Promise<Findings> => {
  const numbers = new Map(stores.map((store) => [store, drawNumbers(store.size)]))
  const measured = await takeTurns(
    stores,
    async (store, round) => {
      const times = await measureStore(store, numbers.get(store) ?? drawNumbers(store.size), effort)
      tell(`round ${round + 1}: ${store.name} ${store.size.toLocaleString('en')} ${JSON.stringify(times)}`)
      return times
    },
    { ...effort, atOnce: 1 },
  )
  return toScaleFindings(measured)
}

const measureStore = async (
  { storage }: SizedStore,
  numbers: Iterator<number, never>,
  { isSmoke }: Effort,
): Promise<RoundTimes> => {
  const times: Record<string, number> = {}
  for (const { name, run } of storageOperations) {
    times[name] = await medianTime(isSmoke ? 10 : 300, () => run(storage, numbers.next().value))
  }
  const limit = isSmoke ? 10 : 500
  times['clean-up batch'] = await medianTime(isSmoke ? 2 : 3, async () => {
    const deleted = await storage.deleteOver(lookedAt, limit)
    if (deleted !== limit) throw new Error(`A batch deleted ${deleted} sessions instead of ${limit}.`)
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
