import { type DatabaseServer, findDatabases, isPresent } from '@jwt-auth/test-support'
import type { Comparison, Setting } from '../comparison.js'
import { toText, withSpread } from '../report/figures.js'
import type { Table } from '../report/table.js'
import { schemasOf } from '../scale/schemas.js'
import { createSizedStore, type SizedStore } from '../scale/sized-store.js'
import { measureStores, refuseSmallSizes } from './measure-stores.js'

/** Other ids and indexes than ours, for the same sessions. */
export const schemas: Comparison = {
  name: 'schemas',
  summary: 'other ids and indexes for the table of sessions: times and sizes',
  method:
    'The same operations run on stores of one size, the smallest of `--sizes`. The statements are those of jwt-auth. The table has the ids or indexes that the first column names.',
  run: async (setting) => {
    refuseSmallSizes(setting.effort)
    const servers = (await findDatabases()).filter(isPresent).filter(({ name }) => name !== 'MariaDB')
    const tables: Table[] = []
    for (const server of servers) tables.push(await compareSchemas(setting, server))
    return { tables, goals: [] }
  },
}

const compareSchemas = async (setting: Setting, server: DatabaseServer): Promise<Table> => {
  const { effort } = setting
  const size = Math.min(...effort.sizes)
  const stores: SizedStore[] = []
  try {
    for (const schema of schemasOf(server.name)) stores.push(await createSizedStore(server, { size, schema }, setting))
    const measured = await measureStores(setting, stores)
    const operations = Object.keys([...measured.values()][0]?.[0] ?? {})
    return {
      caption: `${server.name}, ${size.toLocaleString('en')} sessions, µs:`,
      head: ['', ...operations, 'bytes per session', 'seconds to fill'],
      rows: [...measured].map(([{ schema, bytes, seedSeconds }, rounds]) => [
        schema.title,
        ...operations.map((operation) => withSpread(rounds.map((times) => times[operation] ?? Number.NaN))),
        toText((bytes.table + (bytes.indexes ?? 0)) / size),
        toText(seedSeconds),
      ]),
    }
  } finally {
    for (const { drop } of stores) await drop()
  }
}
