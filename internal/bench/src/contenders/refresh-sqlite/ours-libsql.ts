import { sqlStorage } from '@jwt-auth/storage-sql'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import Database from 'libsql'
import { databaseUrlOf } from '../../world/world.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on SQLite through `sqliteExecutor` and libsql',
  open: async (world) => {
    const file = databaseUrlOf(world, 'SQLite').slice('sqlite:'.length)
    const executor = sqliteExecutor(() => new Database(file))
    return openOurRefresh(world, sqlStorage(executor))
  },
}
