import { sqlStorage } from '@jwt-auth/storage-sql'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import pg from 'pg'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on PostgreSQL through `pgExecutor`',
  open: async (world) => {
    const pool = new pg.Pool({ connectionString: databaseUrlOf(world, 'PostgreSQL'), max: poolSize, min: poolSize })
    const executor = pgExecutor(pool)
    return openOurRefresh(world, sqlStorage(executor))
  },
}
