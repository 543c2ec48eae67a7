import { createHash } from 'node:crypto'
import type { DialectName, SqlExecutor, SqlQuery } from './sql-executor.js'
import { isBusy, isLockTimeout, toErrorWithCode } from './storage-error.js'

/** A lock for migrations. */
export interface MigrationLock {
  /** The name of the lock. Processes with other names do not wait. */
  readonly name: string
  /** The longest wait for the lock. MySQL and MariaDB round the wait to seconds. @default 30_000 */
  readonly lockTimeoutMs?: number
  /**
   * Whether each statement of the work waits at most `lockTimeoutMs` for tables and rows that other
   * transactions have locked. On MySQL and MariaDB, the limit applies to tables only. Without it,
   * PostgreSQL waits forever, and MySQL for a year. @default false
   */
  readonly limitsWork?: boolean
}

type Take = <T>(query: SqlQuery, lock: Required<MigrationLock>, work: () => Promise<T>) => Promise<T>

/** The longest wait for a lock during migrations. */
export const defaultLockTimeoutMs = 30_000

/**
 * Takes a lock that only one process can hold, in a transaction that has already started, and runs
 * work. On MySQL and MariaDB each change of the schema commits the transaction. On SQLite every
 * name locks the whole file, and waiting blocks the event loop of the process.
 *
 * @param connection the connection of the transaction
 * @throws Error that names the holder of the lock, when the lock is still held after the longest
 * wait
 */
export const takeMigrationLock = <T>(
  { dialect, query }: Pick<SqlExecutor, 'dialect' | 'query'>,
  { name, lockTimeoutMs = defaultLockTimeoutMs, limitsWork = false }: MigrationLock,
  work: () => Promise<T>,
): Promise<T> => {
  const explainTimeout = (error: unknown): never => {
    if (!limitsWork || !isLockTimeout(error)) throw error
    const sentence = `a table of the migration was still locked by another transaction after ${lockTimeoutMs / 1000} s`
    throw toErrorWithCode(sentence, error, '. End that transaction, then start again.')
  }
  return take[dialect](query, { name, lockTimeoutMs, limitsWork }, () => work().catch(explainTimeout))
}

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
  const { rows: [setting] = [] } = await query("select current_setting('lock_timeout') as timeout", [])
  const setLockTimeout = (timeout: string) => query("select set_config('lock_timeout', $1, true)", [timeout])
  await setLockTimeout(`${lock.lockTimeoutMs}ms`)
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
  if (!lock.limitsWork) await setLockTimeout(String(setting?.['timeout']))
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
  const values = [key, lock.lockTimeoutMs / 1000, key]
  const { rows: [row] = [] } = await query('select get_lock(?, ?) as taken, is_used_lock(?) as holder', values)
  if (Number(row?.['taken'] ?? 0) !== 1) {
    const id = row?.['holder'] ?? null
    throw heldError(lock, id === null ? undefined : `connection ${id} of the server`, 'end it with `kill …`')
  }
  try {
    const result = await (lock.limitsWork ? limitOnMysql(query, lock, work) : work())
    // The lock does not end with the transaction. The next process must not read before this
    // commit.
    await query('commit', [])
    return result
  } catch (error) {
    await query('rollback', []).catch(() => {})
    throw error
  } finally {
    await query('do release_lock(?)', [key])
  }
}

// The setting belongs to the connection, which returns to the pool of the application.
const limitOnMysql: Take = async (query, { lockTimeoutMs }, work) => {
  const { rows: [row] = [] } = await query('select @@session.lock_wait_timeout as seconds', [])
  await query(`set session lock_wait_timeout = ${Math.max(1, Math.round(lockTimeoutMs / 1000))}`, [])
  try {
    return await work()
  } finally {
    await query(`set session lock_wait_timeout = ${Number(row?.['seconds'])}`, []).catch(() => {})
  }
}

const take: Readonly<Record<DialectName, Take>> = {
  sqlite: takeOnSqlite,
  postgresql: takeOnPostgresql,
  mysql: takeOnMysql,
}

const hashName = (name: string): Buffer => createHash('sha256').update(name).digest()

const heldError = ({ name, lockTimeoutMs }: Required<MigrationLock>, holder: string | undefined, fix: string) => {
  const held = `jwt-auth: the migration lock "${name}" was still held after ${lockTimeoutMs / 1000} s`
  return new Error(
    holder === undefined
      ? `${held}, by a connection that has ended since. Start again.`
      : `${held} by ${holder}. Wait until the migration there has finished, or ${fix}. Then start again.`,
  )
}
