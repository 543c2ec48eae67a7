import { sqlStorage } from '@jwt-auth/storage-sql'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import { databaseUrlOf } from '../../world/world.js'
import { openOurRefresh } from '../open-our-refresh.js'
import type { OperationContender } from '../operation-contender.js'

/** Only for Node 22.13 or later. */
export const contender: OperationContender = {
  title: '**jwt-auth**, refresh on SQLite through `sqliteExecutor` and `node:sqlite`',
  open: async (world) => {
    const file = databaseUrlOf(world, 'SQLite').slice('sqlite:'.length)
    const { DatabaseSync } = Object(process.getBuiltinModule('node:sqlite'))
    return openOurRefresh(world, sqlStorage(sqliteExecutor(() => new DatabaseSync(file))))
  },
}
