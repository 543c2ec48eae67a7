import { sqlStorage } from '@jwt-auth/storage-sql'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import mysql2 from 'mysql2'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on MariaDB through `mysql2Executor`',
  open: async (world) => {
    const pool = mysql2.createPool({ uri: databaseUrlOf(world, 'MariaDB'), connectionLimit: poolSize })
    const executor = mysql2Executor(pool)
    return openOurRefresh(world, sqlStorage(executor))
  },
}
