import { createHash } from 'node:crypto'
import type { DialectName, SqlExecutor, SqlQuery } from './sql-executor.js'
import { isBusy, isLockTimeout, toErrorWithCode } from './storage-error.js'

/** A lock for migrations. */
interface MigrationLock {
  /** The name of the lock. Processes with other names do not wait. */
  readonly name: string
  /**
   * The longest wait for the lock, and of each statement of the work for tables and rows that other
   * transactions have locked. MySQL and MariaDB round the wait to seconds, and limit the wait for
   * tables only. Without the limit, PostgreSQL waits forever, and MySQL for a year.
   */
  readonly lockTimeoutMs: number
}

type Take = (query: SqlQuery, lock: MigrationLock, work: () => Promise<void>) => Promise<void>

/**
 * Takes a lock that only one process can hold, in a transaction that has already started, and runs
 * work. On MySQL and MariaDB each change of the schema commits the transaction. On SQLite every
 * name locks the whole file, and waiting blocks the event loop of the process.
 *
 * @param connection the connection of the transaction
 * @throws Error that names the holder of the lock, when the lock is still held after the longest
 * wait
 */
export const takeMigrationLock = async (
  { dialect, query }: Pick<SqlExecutor, 'dialect' | 'query'>,
  lock: MigrationLock,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await take[dialect](query, lock, work)
  } catch (error) {
    throw isLockTimeout(error) ? lockedTableError(lock.lockTimeoutMs, error) : error
  }
}

/**
 * Creates the error for a statement of a migration that waited too long for another transaction.
 */
export const lockedTableError = (lockTimeoutMs: number, thrown: unknown): Error =>
  toErrorWithCode(
    `a table of the migration was still locked by another transaction after ${lockTimeoutMs / 1000} s`,
    thrown,
    '. End that transaction, then start again.',
  )

const takeOnSqlite: Take = async (query, lock, work) => {
  const { rows: [row] = [] } = await query('pragma busy_timeout', [])
  // A deferred transaction can fail at its first write. An immediate transaction locks the file
  // from its start.
  await query('commit', [])
  await query(`pragma busy_timeout = ${lock.lockTimeoutMs}`, [])
  try {
    await query('begin immediate', [])
  } catch (error) {
    // The client rolls back a transaction after a failure, so there must be one.
    await query('begin', [])
    if (!isBusy(error)) throw error
    throw heldError(lock, 'another process that writes to the SQLite file', 'end its transaction')
  } finally {
    await query(`pragma busy_timeout = ${Number(row?.['timeout'])}`, [])
  }
  return work()
}

const takeOnPostgresql: Take = async (query, lock, work) => {
  const key = hashName(lock.name).readBigInt64BE().toString()
  await query(`set local lock_timeout = ${lock.lockTimeoutMs}`, [])
  // A failed statement would abort the transaction, which is still needed to find the holder.
  await query('savepoint unlocked', [])
  try {
    await query('select pg_advisory_xact_lock($1::bigint)::text as taken', [key])
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    await query('rollback to savepoint unlocked', [])
    const holder = await findHolderOnPostgresql(query, key)
    throw heldError(lock, holder, 'end it with `select pg_terminate_backend(…)`')
  }
  return work()
}

/** Resolves to `undefined` when the holder has ended since. */
const findHolderOnPostgresql = async (query: SqlQuery, key: string): Promise<string | undefined> => {
  const { rows: [holder] = [] } = await query(
    `select pid, application_name, state from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and objsubid = 1 and (classid::bigint << 32) | objid::bigint = $1::bigint
       and database = (select oid from pg_database where datname = current_database())`,
    [key],
  )
  if (holder === undefined) return undefined
  return `process ${holder['pid']} of the server (application "${holder['application_name']}", ${holder['state'] ?? 'state unknown'})`
}

// MySQL commits at each change of the schema. A named lock belongs to the connection and survives
// the commit.
const takeOnMysql: Take = async (query, lock, work) => {
  // MySQL allows names of at most 64 characters.
  const key = `jwt_auth_${hashName(lock.name).toString('hex', 0, 20)}`
  const seconds = lock.lockTimeoutMs / 1000
  const { rows: [row] = [] } = await query(
    'select get_lock(?, ?) as taken, is_used_lock(?) as holder, @@session.lock_wait_timeout as lock_wait_timeout',
    [key, seconds, key],
  )
  if (Number(row?.['taken'] ?? 0) !== 1) {
    const id = row?.['holder'] ?? null
    throw heldError(lock, id === null ? undefined : `connection ${id} of the server`, 'end it with `kill …`')
  }
  try {
    await query(`set session lock_wait_timeout = ${Math.max(1, Math.round(seconds))}`, [])
    await work()
    // The lock does not end with the transaction. The next process must not read before this
    // commit.
    await query('commit', [])
  } catch (error) {
    await query('rollback', []).catch(() => {})
    throw error
  } finally {
    await query('do release_lock(?)', [key])
    // The connection returns to the pool of the application.
    await query(`set session lock_wait_timeout = ${Number(row?.['lock_wait_timeout'])}`, [])
  }
}

const take: Readonly<Record<DialectName, Take>> = {
  sqlite: takeOnSqlite,
  postgresql: takeOnPostgresql,
  mysql: takeOnMysql,
}

const hashName = (name: string): Buffer => createHash('sha256').update(name).digest()

const heldError = ({ name, lockTimeoutMs }: MigrationLock, holder: string | undefined, fix: string): Error => {
  const held = `jwt-auth: the migration lock "${name}" was still held after ${lockTimeoutMs / 1000} s`
  return new Error(
    holder === undefined
      ? `${held}, by a connection that has ended since. Start again.`
      : `${held} by ${holder}. Wait until the migration there has finished, or ${fix}. Then start again.`,
  )
}
