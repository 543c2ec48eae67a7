import { usageError } from '@jwt-auth/core/internal'
import { sqlStorage } from '@jwt-auth/storage-sql'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import { sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import Libsql from 'libsql'
import mysql2 from 'mysql2'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'

const url = 'postgres://localhost/app'

const calls = {
  pgExecutor: 'a pool of pg, such as pgExecutor(new pg.Pool({ connectionString }))',
  postgresExecutor:
    'the sql of postgres without `fetch_types: false` and without a `transform` of results, such as postgresExecutor(postgres(url))',
  mysql2Executor: 'a pool of mysql2, such as mysql2Executor(mysql2.createPool(url))',
  sqliteExecutor: 'a function that opens the file, such as sqliteExecutor(() => new Database(file))',
} as const
const executors = { pgExecutor, postgresExecutor, mysql2Executor, sqliteExecutor }

describe('an executor', () => {
  it.each<[keyof typeof executors, string, unknown]>([
    ['pgExecutor', 'the settings of a pool', { connectionString: url }],
    ['pgExecutor', 'a single client', new pg.Client(url)],
    ['pgExecutor', 'the module', pg],
    ['pgExecutor', 'a URL', url],
    ['pgExecutor', 'nothing', undefined],
    ['postgresExecutor', 'the function of the module', postgres],
    ['postgresExecutor', 'a pool of pg', new pg.Pool()],
    ['postgresExecutor', 'a sql whose `reserve` would never end', postgres(url, { fetch_types: false })],
    ['postgresExecutor', 'a sql that renames columns', postgres(url, { transform: postgres.toCamel })],
    ['postgresExecutor', 'nothing', undefined],
    ['mysql2Executor', 'the settings of a pool', { host: 'localhost' }],
    ['mysql2Executor', 'the function that creates pools', mysql2.createPool],
    ['mysql2Executor', 'a pool of pg', new pg.Pool()],
    ['mysql2Executor', 'a promise of a connection', Promise.resolve({ query: () => {} })],
    ['mysql2Executor', 'a URL', 'mysql://localhost/app'],
    ['sqliteExecutor', 'an open database', new Libsql(':memory:')],
    ['sqliteExecutor', 'the class of a driver', Libsql],
    ['sqliteExecutor', 'the name of a file', 'app.sqlite'],
  ])('%s refuses %s and names the right call', (name, _, client) => {
    expect(() => Reflect.apply(executors[name], undefined, [client])).toThrow(
      usageError(name, `${name} must be given ${calls[name]}.`),
    )
  })

  const hint = 'has no option `prepareStatements` (did you mean `preparedStatements`?)'
  it.each<[keyof typeof executors, unknown, string]>([
    ['pgExecutor', new pg.Pool(), hint],
    ['postgresExecutor', postgres(url), hint],
  ])('refuses an unknown option of %s', (name, client, problem) => {
    expect(() => Reflect.apply(executors[name], undefined, [client, { prepareStatements: true }])).toThrow(
      `jwt-auth: ${name} ${problem}`,
    )
  })
})

describe('an executor of your own', () => {
  it('whose query resolves to an array makes migrate reject with the fix', async () => {
    const executor = { dialect: 'postgresql', query: async () => [], transaction: async () => {} }
    const storage = sqlStorage(Reflect.apply(Object, undefined, [executor]))
    await expect(storage.migrate()).rejects.toThrow('; `query` must resolve to `{ rows }`.')
  })
})
