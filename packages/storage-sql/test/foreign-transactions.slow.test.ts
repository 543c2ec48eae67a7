import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import { findDatabases } from '@jwt-auth/test-support'
import { describeForeignTransactions } from '@jwt-auth/test-support/foreign-transactions'
import Libsql from 'libsql'
import mysql2 from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'

const [sqlite, postgresql, mariadb] = await findDatabases()

describeForeignTransactions({
  title: 'pg',
  server: postgresql,
  open: (connectionString) => {
    const pool = new pg.Pool({ connectionString, max: 1 }).on('error', () => {})
    return {
      executor: pgExecutor(pool),
      run: async (statements, awaits) => {
        const client = await pool.connect()
        const results = statements.map((text) => client.query(text))
        if (awaits) await Promise.allSettled(results)
        client.release()
      },
      close: () => pool.end(),
    }
  },
})

describeForeignTransactions({
  title: 'postgres.js',
  server: postgresql,
  open: (url) => {
    const sql = postgres(url, { max: 1 })
    return {
      executor: postgresExecutor(sql),
      run: async (statements, awaits) => {
        const reserved = await sql.reserve()
        const results = statements.map((text) => reserved.unsafe(text).catch(() => {}))
        if (awaits) await Promise.all(results)
        reserved.release()
      },
      close: () => sql.end({ timeout: 1 }),
    }
  },
})

const openMysql = (url: string) => {
  const pool = mysql2.createPool({ uri: url, connectionLimit: 1 })
  return {
    executor: mysql2Executor(pool),
    run: async (statements: readonly string[], awaits: boolean) => {
      const connection = await pool.getConnection()
      const results = statements.map((text) => connection.query(text))
      if (awaits) await Promise.all(results)
      connection.release()
    },
    close: () => pool.end(),
  }
}

describeForeignTransactions({ title: 'mysql2', server: mariadb, open: openMysql })

describeForeignTransactions({
  title: 'SQLite',
  server: sqlite,
  canLeaveInFlight: false,
  open: (url) => {
    let database: Libsql.Database | undefined
    const executor = sqliteExecutor(() => (database = new Libsql(url.slice('sqlite:'.length))))
    return {
      executor,
      run: async (statements) => {
        // Opens the file again after a connection was discarded.
        await executor.query('select 1', [])
        for (const statement of statements) database?.prepare(statement).run()
      },
      close: () => database?.close(),
    }
  },
})
