import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { dialectOf } from './dialect.js'
import { isBusy, isLockTimeout } from './storage-error.js'

/**
 * Runs schema work that only one process may do at a time.
 *
 * @param name what concurrent processes wait for
 * @throws Error that names the holder of the lock, when the lock is still held after the longest wait
 */
export type WithMigrationLock = <T>(knex: Knex, name: string, work: Work<T>) => Promise<T>

type Work<T> = (transaction: Knex.Transaction) => Promise<T>

/** A lock that is waited for. */
interface Lock {
  readonly name: string
  readonly waitMs: number
}

/** Creates {@link withMigrationLock} with another limit for the wait. On MySQL and MariaDB the limit is rounded to seconds. */
export const createMigrationLock =
  (waitMs: number): WithMigrationLock =>
  (knex, name, work) =>
    knex.transaction((transaction) => {
      const lock = { name, waitMs }
      switch (dialectOf(knex).name) {
        case 'sqlite':
          return workOnSqlite(transaction, lock, work)
        case 'postgresql':
          return workOnPostgresql(transaction, lock, work)
        case 'mysql':
          return workOnMysql(transaction, lock, work)
      }
    })

/**
 * Runs schema work that only one process may do at a time, in a transaction where the database has transactions for schemas.
 * Other processes wait for at most half a minute. On SQLite the whole file is locked, whatever the name, and the event loop of a
 * waiting process stands still.
 *
 * @param name what concurrent processes wait for
 * @throws Error that names the holder of the lock, when the lock is still held after half a minute
 *
 * @example await withMigrationLock(knex, 'my-site', async (transaction) => { … })
 */
export const withMigrationLock: WithMigrationLock = createMigrationLock(30_000)

const workOnSqlite = async <T>(transaction: Knex.Transaction, lock: Lock, work: Work<T>): Promise<T> => {
  const [{ timeout }] = await transaction.raw('pragma busy_timeout')
  // knex begins a deferred transaction, which can fail at its first write. An immediate transaction owns the file from its start.
  await transaction.raw('commit')
  await transaction.raw(`pragma busy_timeout = ${lock.waitMs}`)
  try {
    await transaction.raw('begin immediate')
  } catch (error) {
    // knex rolls back the transaction that it began.
    await transaction.raw('begin')
    if (!isBusy(error)) throw error
    throw heldError(lock, 'another process that writes to the SQLite file', 'end its transaction')
  } finally {
    await transaction.raw(`pragma busy_timeout = ${Number(timeout)}`)
  }
  return work(transaction)
}

const workOnPostgresql = async <T>(transaction: Knex.Transaction, lock: Lock, work: Work<T>): Promise<T> => {
  const key = hashName(lock.name).readBigInt64BE().toString()
  const { rows } = await transaction.raw("select current_setting('lock_timeout') as timeout")
  const setTimeout = (timeout: string) => transaction.raw("select set_config('lock_timeout', ?, true)", [timeout])
  await setTimeout(`${lock.waitMs}ms`)
  // A failed statement would end the transaction, in which the holder is looked up.
  await transaction.raw('savepoint unlocked')
  try {
    await transaction.raw('select pg_advisory_xact_lock(?)', [key])
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await transaction.raw('rollback to savepoint unlocked')
    const holder = await findHolderOnPostgresql(transaction, key)
    throw heldError(lock, holder, 'end it with `select pg_terminate_backend(…)`')
  }
  await setTimeout(rows[0].timeout)
  return work(transaction)
}

const findHolderOnPostgresql = async (transaction: Knex.Transaction, key: string): Promise<string> => {
  const { rows } = await transaction.raw(
    `select pid, application_name, state from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) | objid::bigint = ?
       and database = (select oid from pg_database where datname = current_database())`,
    [key],
  )
  const [holder] = rows
  if (holder === undefined) return 'a process that has ended meanwhile'
  return `process ${holder.pid} of the server (application "${holder.application_name}", ${holder.state ?? 'state unknown'})`
}

// MySQL commits at each change of the schema. A named lock belongs to the connection and outlives the commit.
const workOnMysql = async <T>(transaction: Knex.Transaction, lock: Lock, work: Work<T>): Promise<T> => {
  // MySQL allows 64 characters.
  const key = `jwt_auth_${hashName(lock.name).toString('hex', 0, 20)}`
  const [[row]] = await transaction.raw('select get_lock(?, ?) as taken, is_used_lock(?) as holder', [
    key,
    lock.waitMs / 1000,
    key,
  ])
  if (row.taken !== 1) {
    const holder = row.holder === null ? 'a connection that has ended meanwhile' : `connection ${row.holder}`
    throw heldError(lock, `${holder} of the server`, 'end it with `kill …`')
  }
  try {
    return await work(transaction)
  } finally {
    await transaction.raw('do release_lock(?)', [key])
  }
}

const hashName = (name: string): Buffer => createHash('sha256').update(name).digest()

const heldError = ({ name, waitMs }: Lock, holder: string, remedy: string): Error =>
  new Error(
    `jwt-auth: the migration lock "${name}" was still held after ${waitMs / 1000} s by ${holder}. Wait until the migration there has finished, or ${remedy}. Then start again.`,
  )
