import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import mysql2 from 'mysql2'

const server = (await findDatabases())[2]

describeExecutor({
  title: 'the executor of mysql2',
  server,
  open: (uri) => {
    const pool = mysql2.createPool({ uri, connectionLimit: 10 })
    return { executor: mysql2Executor(pool), close: () => pool.promise().end() }
  },
})
