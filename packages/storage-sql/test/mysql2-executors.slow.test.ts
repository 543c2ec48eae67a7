import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import mysql2 from 'mysql2'
import mysql2Promise from 'mysql2/promise'

const [, , mariadb] = await findDatabases()

describeExecutor({
  title: 'the executor of mysql2',
  server: mariadb,
  open: (uri) => {
    const pool = mysql2.createPool({ uri, connectionLimit: 10 })
    return { executor: mysql2Executor(pool), close: () => pool.promise().end() }
  },
})

describeExecutor({
  title: 'the executor of mysql2/promise',
  server: mariadb,
  open: (uri) => {
    const pool = mysql2Promise.createPool({ uri, connectionLimit: 10 })
    return { executor: mysql2Executor(pool), close: () => pool.end() }
  },
})
