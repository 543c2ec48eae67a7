import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import pg from 'pg'

const server = (await findDatabases())[1]

describeExecutor({
  title: 'the executor of pg',
  server,
  open: (connectionString) => {
    const pool = new pg.Pool({ connectionString, max: 10 }).on('error', () => {})
    return { executor: pgExecutor(pool), close: () => pool.end() }
  },
})
