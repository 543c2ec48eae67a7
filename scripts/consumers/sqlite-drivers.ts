// Compiled by types.mjs, never run: the databases of the drivers fit the executor.
import type { DatabaseSync } from 'node:sqlite'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import type BetterSqlite3 from 'better-sqlite3'
import type Libsql from 'libsql'

declare const betterSqlite3: BetterSqlite3.Database
declare const libsql: Libsql.Database
declare const nodeSqlite: DatabaseSync

export const executors = [
  sqliteExecutor(() => betterSqlite3),
  sqliteExecutor(() => libsql),
  sqliteExecutor(() => nodeSqlite),
]

// @ts-expect-error: the function returns an open database.
sqliteExecutor(async () => libsql)
