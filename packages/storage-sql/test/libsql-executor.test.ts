import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import Libsql from 'libsql'

const [server] = await findDatabases()

describeExecutor({
  title: 'the executor of libsql',
  server,
  open: (url) => {
    const executor = sqliteExecutor(() => new Libsql(url.slice('sqlite:'.length)))
    return { executor, close: executor.close }
  },
})
