import { findDatabases, isPresent } from '@jwt-auth/test-support'
import type { Comparison } from '../comparison.js'
import { ourSchema } from '../scale/schemas.js'
import { createSizedStore, type SizedStore } from '../scale/sized-store.js'
import { measureStores, refuseSmallSizes } from './measure-stores.js'
import { toScaleFindings } from './scale-findings.js'

/** Stores of several sizes. */
export const scale: Comparison = {
  name: 'scale',
  summary: 'stores with a hundred thousand to five million sessions: times and sizes',
  method:
    'One client, one connection, sessions drawn from all over the table, four for each user, a tenth of them over; each operation runs through our storage and knex and is checked. Times are medians in each round. A batch of the clean-up are 100 sessions.',
  run: async (setting) => {
    const { effort } = setting
    refuseSmallSizes(effort)
    const servers = (await findDatabases()).filter(isPresent).filter(({ name }) => name !== 'MariaDB')
    const stores: SizedStore[] = []
    try {
      for (const server of servers) {
        for (const size of effort.sizes)
          stores.push(await createSizedStore(server, { size, schema: ourSchema }, setting))
      }
      return toScaleFindings(await measureStores(setting, stores))
    } finally {
      for (const { drop } of stores) await drop()
    }
  },
}
