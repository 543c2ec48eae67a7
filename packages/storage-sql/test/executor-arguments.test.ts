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

describe('an executor', () => {
  it.each<[string, () => unknown]>([
    ['the settings of a pool', () => pgExecutor({ connectionString: url } as never)],
    ['a single client', () => pgExecutor(new pg.Client(url) as never)],
    ['the module', () => pgExecutor(pg as never)],
    ['a URL', () => pgExecutor(url as never)],
    ['nothing', () => pgExecutor(undefined as never)],
  ])('of pg refuses %s and names the right call', (_, create) => {
    expect(create).toThrow(
      new TypeError(
        'jwt-auth: pgExecutor must be given a pool of pg, such as pgExecutor(new pg.Pool({ connectionString })).',
      ),
    )
  })

  it.each<[string, () => unknown]>([
    ['the function of the module', () => postgresExecutor(postgres as never)],
    ['a pool of pg', () => postgresExecutor(new pg.Pool() as never)],
    ['nothing', () => postgresExecutor(undefined as never)],
  ])('of postgres.js refuses %s and names the right call', (_, create) => {
    expect(create).toThrow(
      new TypeError(
        'jwt-auth: postgresExecutor must be given the sql of postgres, such as postgresExecutor(postgres(url)).',
      ),
    )
  })

  it.each<[string, () => unknown]>([
    ['the settings of a pool', () => mysql2Executor({ host: 'localhost' } as never)],
    ['the function that creates pools', () => mysql2Executor(mysql2.createPool as never)],
    ['a pool of pg', () => mysql2Executor(new pg.Pool() as never)],
    ['a promise of a connection', () => mysql2Executor(Promise.resolve({ query: () => {} }) as never)],
    ['a URL', () => mysql2Executor('mysql://localhost/app' as never)],
  ])('of mysql2 refuses %s and names the right call', (_, create) => {
    expect(create).toThrow(
      new TypeError(
        'jwt-auth: mysql2Executor must be given a pool of mysql2, such as mysql2Executor(mysql2.createPool(url)).',
      ),
    )
  })

  it.each<[string, () => unknown]>([
    ['an open database', () => sqliteExecutor(new Libsql(':memory:') as never)],
    ['the class of a driver', () => sqliteExecutor(Libsql as never)],
    ['the name of a file', () => sqliteExecutor('app.sqlite' as never)],
  ])('of SQLite refuses %s and names the right call', (_, create) => {
    expect(create).toThrow(
      new TypeError(
        'jwt-auth: sqliteExecutor must be given a function that opens the file, such as sqliteExecutor(() => new Database(file)).',
      ),
    )
  })

  const hint = 'has no option `prepareStatements` (did you mean `preparedStatements`?)'
  const none = 'has no options; pass them to the driver, where you create its client.'
  it.each<[string, (...given: never[]) => unknown, unknown, string]>([
    ['pgExecutor', pgExecutor, new pg.Pool(), hint],
    ['postgresExecutor', postgresExecutor, postgres(url), hint],
    ['mysql2Executor', mysql2Executor, mysql2.createPool(url), none],
    ['sqliteExecutor', sqliteExecutor, () => new Libsql(':memory:'), none],
  ])('refuses an unknown option of %s', (name, createExecutor, client, problem) => {
    expect(() => Reflect.apply(createExecutor, undefined, [client, { prepareStatements: true }])).toThrow(
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
