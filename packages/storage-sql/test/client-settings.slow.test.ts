import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import { findDatabases } from '@jwt-auth/test-support'
import { describeSettings } from '@jwt-auth/test-support/client-settings'
import Libsql from 'libsql'
import mysql2 from 'mysql2'
import pg from 'pg'
import postgres from 'postgres'

const [sqlite, postgresql, mariadb] = await findDatabases()

const mysqlWith = (options: mysql2.PoolOptions, statement?: string) => (uri: string) => {
  const pool = mysql2.createPool({ ...options, uri, connectionLimit: 6 })
  if (statement !== undefined) pool.on('connection', (connection) => connection.query(statement))
  return { executor: mysql2Executor(pool), close: () => pool.promise().end() }
}

describeSettings('mysql2', mariadb, {
  working: {
    bigNumberStrings: mysqlWith({ supportBigNumbers: true, bigNumberStrings: true }),
    dateStrings: mysqlWith({ dateStrings: true }),
    decimalNumbers: mysqlWith({ decimalNumbers: true }),
    'a typeCast that returns text': mysqlWith({ typeCast: (field) => field.string() }),
    namedPlaceholders: mysqlWith({ namedPlaceholders: true }),
    rowsAsArray: mysqlWith({ rowsAsArray: true }),
    multipleStatements: mysqlWith({ multipleStatements: true }),
    'no FOUND_ROWS': mysqlWith({ flags: ['-FOUND_ROWS'] }),
    'another time zone': mysqlWith({ timezone: '+05:00' }, "set time_zone = '-08:00'"),
    'another collation': mysqlWith({ charset: 'utf8mb4_turkish_ci' }),
    'the SQL mode ANSI': mysqlWith({}, "set sql_mode = 'ANSI,TRADITIONAL'"),
    'no SQL mode': mysqlWith({}, "set sql_mode = ''"),
    'the isolation level serializable': mysqlWith({}, 'set session transaction isolation level serializable'),
  },
  refused: {
    NO_BACKSLASH_ESCAPES: mysqlWith({}, "set sql_mode = 'NO_BACKSLASH_ESCAPES'"),
    'the character set latin1': mysqlWith({ charset: 'latin1' }),
    'autocommit = 0': mysqlWith({}, 'set autocommit = 0'),
  },
})

const pgWith = (options: pg.PoolConfig) => (connectionString: string) => {
  const pool = new pg.Pool({ ...options, connectionString, max: 6 }).on('error', () => {})
  return { executor: pgExecutor(pool), close: () => pool.end() }
}
const parseWith = (parsers: Readonly<Record<number, (text: string) => unknown>>) => ({
  types: { getTypeParser: (id: number) => parsers[id] ?? ((text: string) => text) },
})

describeSettings('pg', postgresql, {
  working: {
    'int8 as bigint': pgWith(parseWith({ 20: BigInt })),
    'int8 as number': pgWith(parseWith({ 20: Number })),
    'int4 as bigint': pgWith(parseWith({ 23: BigInt })),
    'all values as text': pgWith(parseWith({})),
    statement_timeout: pgWith({ statement_timeout: 10_000, query_timeout: 10_000 }),
    'the isolation level serializable': pgWith({ options: '-c default_transaction_isolation=serializable' }),
    'another time zone and style of dates': pgWith({ options: '-c timezone=Asia/Tokyo -c datestyle=german' }),
    'no standard_conforming_strings': pgWith({ options: '-c standard_conforming_strings=off' }),
  },
  refused: {},
})

const postgresWith = (options: postgres.Options<Record<string, postgres.PostgresType>>) => (url: string) => {
  const sql = postgres(url, { ...options, max: 6, onnotice: () => {} })
  return { executor: postgresExecutor(sql), close: () => sql.end({ timeout: 1 }) }
}

describeSettings('postgres.js', postgresql, {
  working: {
    'int8 as bigint': postgresWith({ types: { bigint: postgres.BigInt } }),
    'no prepared statements': postgresWith({ prepare: false }),
    'undefined as null': postgresWith({ transform: { undefined: null } }),
    'the isolation level serializable': postgresWith({ connection: { default_transaction_isolation: 'serializable' } }),
  },
  refused: {},
})

const libsqlWith = (setUp: (database: Libsql.Database) => void) => (url: string) => {
  const executor = sqliteExecutor(() => {
    const database = new Libsql(url.slice('sqlite:'.length))
    setUp(database)
    return database
  })
  return { executor, close: executor.close }
}

describeSettings('libsql', sqlite, {
  working: {
    'integers as bigint': libsqlWith((database) => database.defaultSafeIntegers(true)),
    'foreign keys': libsqlWith((database) => database.exec('pragma foreign_keys = on')),
    'a small cache': libsqlWith((database) => database.exec('pragma cache_size = 10')),
  },
  refused: {},
})
