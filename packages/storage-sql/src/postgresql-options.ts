import { checkOptionNames } from '@jwt-auth/core/adapter'

/** The options of `pgExecutor` and `postgresExecutor`. */
export interface PostgresqlExecutorOptions {
  /**
   * Whether each connection keeps the statements of the storage prepared, and plans each statement once. A pooler in transaction mode
   * must support prepared statements: PgBouncer 1.21 or later with `max_prepared_statements` above 0.
   *
   * @default false
   */
  readonly preparedStatements?: boolean | undefined
}

const optionNames: Readonly<Record<keyof PostgresqlExecutorOptions, true>> = { preparedStatements: true }

/** Checks the options, and returns whether statements stay prepared. */
export const readPreparedStatements = (options: PostgresqlExecutorOptions, executor: string): boolean => {
  checkOptionNames(options, optionNames, executor)
  return options.preparedStatements === true
}
