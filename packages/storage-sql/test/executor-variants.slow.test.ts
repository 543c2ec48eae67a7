import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'

const [, postgresql, mariadb] = await findDatabases()

describeExecutor({
  title: 'the executor of pg with prepared statements',
  server: postgresql,
  open: (connectionString) => {
    const pool = new pg.Pool({ connectionString, max: 10 }).on('error', () => {})
    return { executor: pgExecutor(pool, { preparedStatements: true }), close: () => pool.end() }
  },
})

describeExecutor({
  title: 'the executor of postgres.js with prepared statements',
  server: postgresql,
  open: (url) => {
    const sql = postgres(url, { max: 10, onnotice: () => {} })
    return { executor: postgresExecutor(sql, { preparedStatements: true }), close: () => sql.end({ timeout: 1 }) }
  },
})

describeExecutor({
  title: 'the executor of mysql2/promise',
  server: mariadb,
  open: (uri) => {
    const pool = mysql2.createPool({ uri, connectionLimit: 10 })
    return { executor: mysql2Executor(pool), close: () => pool.end() }
  },
})
