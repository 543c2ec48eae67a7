import { sqlStorage } from '@jwt-auth/storage-sql'
import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import postgres from 'postgres'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on PostgreSQL through `postgresExecutor`',
  open: async (world) => {
    const sql = postgres(databaseUrlOf(world, 'PostgreSQL'), { max: poolSize })
    const executor = postgresExecutor(sql)
    return openOurRefresh(world, sqlStorage(executor))
  },
}
