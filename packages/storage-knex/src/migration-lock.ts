import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { toDialect } from './dialect.js'
import { isBusy, isLockTimeout } from './storage-error.js'

type Work<T> = (transaction: Knex.Transaction) => Promise<T>

interface Lock {
  readonly name: string
  /** The longest wait for the lock. */
  readonly waitMs: number
}

/** Creates {@link withMigrationLock} with another longest wait. MySQL and MariaDB round the wait to seconds. */
export const createMigrationLock =
  (waitMs: number): typeof withMigrationLock =>
  (knex, name, work) =>
    knex.transaction((transaction) => {
      const lock = { name, waitMs }
      switch (toDialect(knex).name) {
        case 'sqlite':
          return workOnSqlite(transaction, lock, work)
        case 'postgresql':
          return workOnPostgresql(transaction, lock, work)
        case 'mysql':
          return workOnMysql(transaction, lock, work)
      }
    })

/**
 * Runs schema work that only one process may do at a time, in a transaction. On MySQL and MariaDB each change of the schema commits the
 * transaction. Other processes wait for at most 30 seconds. On SQLite every name locks the whole file, and waiting blocks the event loop
 * of the process.
 *
 * @param name the name of the lock; processes with other names do not wait
 * @returns the result of `work`
 * @throws Error that names the holder of the lock, when the lock is still held after 30 seconds
 *
 * @example
 * ```ts
 * await withMigrationLock(knex, 'my-site', async (transaction) => {
 *   if (await transaction.schema.hasTable('users')) return
 *   await transaction.schema.createTable('users', (columns) => columns.integer('id').primary())
 * })
 * ```
 */
export const withMigrationLock: <T>(
  knex: Knex,
  name: string,
  work: (transaction: Knex.Transaction) => Promise<T>,
) => Promise<T> = createMigrationLock(30_000)

const workOnSqlite = async <T>(transaction: Knex.Transaction, lock: Lock, work: Work<T>): Promise<T> => {
  const [{ timeout }] = await transaction.raw('pragma busy_timeout')
  // knex starts a deferred transaction, which can fail at its first write. An immediate transaction locks the file from its start.
  await transaction.raw('commit')
  await transaction.raw(`pragma busy_timeout = ${lock.waitMs}`)
  try {
    await transaction.raw('begin immediate')
  } catch (error) {
    // knex rolls back a transaction after a failure, so there must be one.
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
  // A failed statement would abort the transaction, which is still needed to find the holder.
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
  if (holder === undefined) return 'a process that has ended in the meantime'
  return `process ${holder.pid} of the server (application "${holder.application_name}", ${holder.state ?? 'state unknown'})`
}

// MySQL commits at each change of the schema. A named lock belongs to the connection and survives the commit.
const workOnMysql = async <T>(transaction: Knex.Transaction, lock: Lock, work: Work<T>): Promise<T> => {
  // MySQL allows names of at most 64 characters.
  const key = `jwt_auth_${hashName(lock.name).toString('hex', 0, 20)}`
  const [[row]] = await transaction.raw('select get_lock(?, ?) as taken, is_used_lock(?) as holder', [
    key,
    lock.waitMs / 1000,
    key,
  ])
  if (row.taken !== 1) {
    const holder = row.holder === null ? 'a connection that has ended in the meantime' : `connection ${row.holder}`
    throw heldError(lock, `${holder} of the server`, 'end it with `kill …`')
  }
  try {
    return await work(transaction)
  } finally {
    await transaction.raw('do release_lock(?)', [key])
  }
}

const hashName = (name: string): Buffer => createHash('sha256').update(name).digest()

const heldError = ({ name, waitMs }: Lock, holder: string, fix: string): Error =>
  new Error(
    `jwt-auth: the migration lock "${name}" was still held after ${waitMs / 1000} s by ${holder}. Wait until the migration there has finished, or ${fix}. Then start again.`,
  )
