import { sampleSession } from '@jwt-auth/storage-conformance'
import { sqlStorage } from '@jwt-auth/storage-sql'
import { type SqliteExecutor, sqliteExecutor } from '@jwt-auth/storage-sql/sqlite'
import { type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import Libsql from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ending = { endedAt: 1_767_225_600_000, endReason: 'revoked' }
const [first, second] = [sampleSession(1), sampleSession(2)]
const [sqlite] = await findDatabases()

let database: FreshDatabase
let file: string
let opened: SqliteExecutor[]

const connect = () => {
  const executor = sqliteExecutor(() => new Libsql(file))
  opened.push(executor)
  return sqlStorage(executor)
}

describeExecutor({
  title: 'the executor of libsql',
  server: sqlite,
  open: (url) => {
    const executor = sqliteExecutor(() => new Libsql(url.slice('sqlite:'.length)))
    return { executor, close: executor.close }
  },
})

describe('the executor of SQLite', () => {
  beforeEach(async () => {
    database = await sqlite.createDatabase()
    file = database.url.slice('sqlite:'.length)
    opened = []
  })
  afterEach(async () => {
    for (const { close } of opened) close()
    await database.drop()
  })

  it('reads what others write, and commits its own writes, after one of its statements met a lock', async () => {
    const [storage, elsewhere] = [connect(), connect()]
    await storage.migrate()
    await storage.create(first)
    await storage.create(second)
    const other = new Libsql(file)
    other.exec('begin exclusive')
    await expect(storage.end({ id: first.id, ...ending })).rejects.toThrow('could not end a session (SQLITE_BUSY)')
    other.exec('rollback')
    other.close()

    expect(await storage.findByIds([first.id])).toEqual([first])
    await elsewhere.end({ id: first.id, ...ending })
    expect(await storage.findByIds([first.id])).toEqual([{ ...first, ...ending }])
    expect(await storage.end({ id: second.id, ...ending })).toEqual({ outcome: 'ended' })
    expect(await elsewhere.findByIds([second.id])).toEqual([{ ...second, ...ending }])
  })

  it.each([
    ['a promise', async () => new Libsql(':memory:'), ' an open database, not a promise, such as'],
    ['nothing', () => {}, ' an open database, such as'],
  ])('rejects with the fix when its function returns %s', async (_, open, message) => {
    const storage = sqlStorage(Reflect.apply(sqliteExecutor, undefined, [open]))
    await expect(storage.migrate()).rejects.toThrow(`jwt-auth: the function of sqliteExecutor must return${message}`)
  })

  it('waits for each commit, so that an acknowledged write survives a power cut', async () => {
    const executor = sqliteExecutor(() => new Libsql(file))
    opened.push(executor)
    expect(await executor.query('pragma synchronous', [])).toEqual({ rows: [{ synchronous: 2 }] })
    expect(await executor.query('pragma journal_mode', [])).toEqual({ rows: [{ journal_mode: 'wal' }] })
  })

  it('does not mix its statements with a transaction of its own migration', async () => {
    const storage = connect()
    await storage.migrate()
    const [executor] = opened
    const reason = new Error('the migration failed')
    const migration = executor?.transaction(async (query) => {
      await query("update jwt_auth_sessions set label = 'lost'", [])
      await new Promise(setImmediate)
      throw reason
    })
    const created = storage.create(first)
    await expect(migration).rejects.toBe(reason)
    await created
    expect(await storage.findByIds([first.id])).toEqual([first])
  })
})
