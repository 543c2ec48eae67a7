import { createHash } from 'node:crypto'
import { readBoolean, readOptions, usageError } from '@jwt-auth/core/internal'

/** The options of `pgExecutor` and `postgresExecutor`. */
export interface PostgresqlExecutorOptions {
  /**
   * Whether PostgreSQL prepares each statement of the storage once per connection. A pooler in
   * transaction mode must support this: PgBouncer 1.21 or later with `max_prepared_statements`
   * above 0.
   *
   * @default false
   */
  readonly preparedStatements?: boolean | undefined
}

/** Checks the options, and returns whether statements stay prepared. */
export const readPreparedStatements = (options: PostgresqlExecutorOptions, executor: string): boolean =>
  readOptions(executor, options, { preparedStatements: readBoolean }, { prefix: `${executor}.` }).preparedStatements

/**
 * Creates the function that returns the name of a prepared statement of PostgreSQL. The same text
 * always has the same name. Names start with `jwt_auth_`. A statement without parameters has no
 * name: it reads the schema, perhaps before the tables exist, and PgBouncer refuses a name whose
 * first statement could not be prepared.
 */
export const createStatementNames = (): ((text: string) => string | undefined) => {
  const names = new Map<string, string>()
  return (text) => {
    if (!text.includes('$1')) return undefined
    const name = names.get(text) ?? `jwt_auth_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
    names.set(text, name)
    return name
  }
}

/**
 * Checks the client that an executor receives. Without this check, the first statement would fail
 * with an error that names neither the executor nor the fix.
 *
 * @param call A right call of the executor, for the message.
 * @throws TypeError that names the executor and the fix
 */
export const requireClient = (isClient: boolean, executor: string, expected: string, call: string): void => {
  if (!isClient) throw usageError(executor, `${executor} must be given ${expected}, such as ${call}.`)
}
