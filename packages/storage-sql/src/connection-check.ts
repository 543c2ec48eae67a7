import { getMember, hasMethod } from '@jwt-auth/core/internal'
import type { PooledClient } from './pooled-client.js'
import { autocommitOff, openTransaction, toCode, toErrorWithCode, unsafeCharset, unsafeMode } from './storage-error.js'

// How many bytes a socket to MySQL had sent at the end of the last query of this package. Nobody
// has used the connection since if it has sent no more.
const sentAtLastQuery = new WeakMap<object, unknown>()

/**
 * Creates the checks of a connection at both ends of a query. They refuse a connection on which a
 * statement would not be committed, would read an old state, or would become another statement.
 */
export const createConnectionCheck = <Connection extends object>(client: PooledClient<Connection>) => {
  const { dialect, isInTransaction, send } = client

  const askDriver = (connection: Connection): void => {
    if (isInTransaction === undefined && knowsTransaction(connection)) throw refuse(openTransaction)
  }
  // mysql2 escapes values with backslashes. They have no effect in the SQL mode
  // `NO_BACKSLASH_ESCAPES`: a quote in a user agent or a user name would end the value, and the
  // rest would be SQL. In some character sets other characters become a backslash or a quote:
  // mysql2 sends `ħ` as a quote when it connects with latin1. It follows a later `set names` only
  // if the server reports the change.
  const askMysql = async (connection: Connection): Promise<void> => {
    const { rows: [row] = [] } = await send(connection, mysqlSettings, [])
    if (String(row?.['mode']).includes(unsafeMode)) throw refuse(unsafeMode)
    if (!String(row?.['charset']).startsWith('utf8') || row?.['letter'] !== 'C5A1') throw refuse(unsafeCharset)
    if (String(row['autocommit']) !== '1') throw refuse(autocommitOff)
    // Fails in a transaction. Otherwise, the next statement may write, as by default.
    if (isInTransaction !== undefined) return
    await send(connection, 'set transaction read write', []).catch((failure: unknown) => {
      throw toCode(failure) === 'ER_CANT_CHANGE_TX_CHARACTERISTICS' ? refuse(openTransaction) : failure
    })
  }
  return {
    /** Rejects for a connection that must be discarded. */
    begin: async (connection: Connection): Promise<void> => {
      ignoreErrors(connection)
      askDriver(connection)
      if (await isInTransaction?.(connection)) throw refuse(openTransaction)
      if (dialect !== 'mysql') return
      const socket = findSocket(connection)
      const sent = sentAtLastQuery.get(socket)
      if (sent === undefined || sent !== getMember(socket, 'bytesWritten')) await askMysql(connection)
    },
    /**
     * Throws when a query ran in a transaction. The statement that started the transaction can have
     * been in flight at the beginning.
     */
    end: (connection: Connection): void => {
      askDriver(connection)
      if (dialect !== 'mysql') return
      const socket = findSocket(connection)
      sentAtLastQuery.set(socket, getMember(socket, 'bytesWritten'))
    },
  }
}

const mysqlSettings =
  "select @@sql_mode as mode, @@character_set_client as charset, hex(convert('š' using utf8mb4)) as letter, @@autocommit as autocommit"

const refuse = (code: string): Error => toErrorWithCode('a connection is refused', Object.assign(new Error(), { code }))

/** Returns whether `pg` from version 8.21, or a driver of SQLite, knows of an open transaction. */
const knowsTransaction = (connection: object): boolean => {
  if (hasMethod(connection, 'getTransactionStatus')) return /[TE]/.test(String(connection.getTransactionStatus()))
  const database = getMember(connection, 'database') ?? connection
  return getMember(database, 'inTransaction') === true || getMember(database, 'isTransaction') === true
}

/**
 * Adds a listener to a connection, once. A lost connection emits an error besides rejecting its
 * query. Without a listener, the process ends.
 */
export const ignoreErrors = (connection: object): void => {
  if (!hasMethod(connection, 'on') || !hasMethod(connection, 'listenerCount')) return
  if (connection.listenerCount('error', ignore) === 0) connection.on('error', ignore)
}

const ignore = (): void => {}

/** Returns the socket of a connection of `mysql2` or `pg`, which may have it in a nested object. */
export const findSocket = (connection: object): object => {
  const socket = getMember(getMember(connection, 'connection') ?? connection, 'stream')
  return typeof socket === 'object' && socket !== null ? socket : {}
}
