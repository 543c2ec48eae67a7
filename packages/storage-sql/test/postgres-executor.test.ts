import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import postgres from 'postgres'

const server = (await findDatabases())[1]

describeExecutor({
  title: 'the executor of postgres.js',
  server,
  open: (url) => {
    const sql = postgres(url, { max: 10, onnotice: () => {} })
    return { executor: postgresExecutor(sql), close: () => sql.end({ timeout: 1 }) }
  },
})
