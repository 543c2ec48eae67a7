// Compiled by types.mjs, never run: the databases of the drivers fit the executor. Of `node:sqlite`,
// the types are in @types/node 22 and later.
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import type BetterSqlite3 from 'better-sqlite3'
import type Libsql from 'libsql'

declare const betterSqlite3: BetterSqlite3.Database
declare const libsql: Libsql.Database

export const executors = [sqliteExecutor(() => betterSqlite3), sqliteExecutor(() => libsql)]

// @ts-expect-error: the function returns an open database.
sqliteExecutor(async () => libsql)
