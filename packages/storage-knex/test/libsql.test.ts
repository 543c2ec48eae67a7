import { statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { usageError } from '@jwt-auth/core/internal'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage, type SqlStorage } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { connectTo, type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const ending = { endedAt: 1_767_225_600_000, endReason: 'revoked' }
const [first, second] = [sampleSession(1), sampleSession(2)]
const [sqlite] = await findDatabases()

let database: FreshDatabase
let knex: Knex
let storage: SqlStorage
let elsewhere: SqlStorage

beforeEach(async () => {
  if (sqlite === undefined) throw new Error('SQLite is always available.')
  database = await sqlite.createDatabase()
  knex = database.connect()
  storage = knexStorage(knex)
  elsewhere = knexStorage(database.connect())
  await storage.migrate()
  await storage.create(first)
  await storage.create(second)
})
afterEach(() => database.drop())

const fileOf = ({ url }: FreshDatabase): string => url.slice('sqlite:'.length)

const whileLocked = async (act: () => Promise<void>): Promise<void> => {
  const other = new Database(fileOf(database))
  other.exec('begin exclusive')
  await act()
  other.exec('rollback')
  other.close()
}

describe('a connection to SQLite whose write failed with a lock', () => {
  it('reads what others write, commits its later writes, and does not lock the file for others', async () => {
    await whileLocked(async () => {
      await expect(storage.end({ id: first.id, ...ending })).rejects.toThrow('could not end a session (SQLITE_BUSY)')
    })
    expect(await storage.findByIds([first.id])).toEqual([first])
    expect(await storage.end({ id: second.id, ...ending })).toEqual({ outcome: 'ended' })
    expect(await elsewhere.end({ id: first.id, ...ending })).toEqual({ outcome: 'ended' })
    expect(await storage.findByIds([first.id])).toEqual([{ ...first, ...ending }])
    await knex.destroy()
    expect(await knexStorage(connectTo(database.url)).findByIds([second.id])).toEqual([{ ...second, ...ending }])
  })
})

describe('a transaction of the application on SQLite that met a lock', () => {
  it('is rolled back, and the next transaction reads and commits everything', async () => {
    const write = (label: string): Promise<number> =>
      knex.transaction((transaction) => transaction('jwt_auth_sessions').where('id', first.id).update({ label }))
    await whileLocked(async () => {
      await expect(write('lost')).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
    })
    await elsewhere.end({ id: second.id, ...ending })
    expect(await storage.findByIds([second.id])).toEqual([{ ...second, ...ending }])
    await write('kept')
    expect(await elsewhere.findByIds([first.id])).toEqual([{ ...first, label: 'kept' }])
  })
})

describe('sqliteConfig', () => {
  it.each([
    ['no argument', undefined, 'nothing'],
    ['an object', { filename: 'site.sqlite' }, 'an object'],
  ])('refuses %s and names the argument', (_, filename, received) => {
    expect(() => Reflect.apply(sqliteConfig, undefined, [filename])).toThrow(
      usageError(
        'sqliteConfig',
        `option \`sqliteConfig.filename\` must be a file name as text, such as 'data/site.sqlite'; received ${received}.`,
      ),
    )
  })
})

describe('a SQLite file', () => {
  it.skipIf(process.platform === 'win32')('is created so that only the user of the process can read it', () => {
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(fileOf(database) + suffix).mode & 0o777)
    expect(modes).toEqual([0o600, 0o600, 0o600])
  })

  it('that another process locks while it is opened is opened after the lock', async () => {
    if (sqlite === undefined) throw new Error('SQLite is always available.')
    const created = await sqlite.createDatabase()
    const other = new Database(fileOf(created))
    other.exec('begin exclusive')
    const connecting = created.connect().client.acquireRawConnection()
    // The first attempt fails before the event loop turns.
    await setImmediate()
    other.exec('rollback')
    other.close()
    const connection = await connecting
    expect(connection.pragma('journal_mode')).toMatchObject([{ journal_mode: 'wal' }])
    connection.close()
    await created.drop()
  })
})
