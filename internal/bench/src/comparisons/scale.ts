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
    'One client uses one connection and picks sessions from the whole table. Each user has four sessions, and a tenth of the sessions have expired. Each operation runs through the storage adapter and knex, and its result is checked. The time of a round is the median of its calls. A batch of the purge has 100 sessions.',
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
