import { openStorage } from '../../world/open-storage.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on PostgreSQL through knex with `preparedStatements`',
  open: async (world) => openOurRefresh(world, await openStorage(world, 'PostgreSQL', { preparedStatements: true })),
}
