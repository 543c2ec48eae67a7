import { findDatabases } from '@jwt-auth/test-support'
import { describeSettings } from '@jwt-auth/test-support/client-settings'
import createKnex, { type Knex } from 'knex'
import { knexExecutor } from '../src/knex-executor.js'

const [, postgresql, mariadb] = await findDatabases()

interface Connection {
  query(statement: string, done: (error: unknown) => void): void
}

const openWith =
  (client: 'mysql2' | 'pg', config: Knex.Config = {}, statement = 'select 1') =>
  (uri: string) => {
    const { hostname: host, port, username: user, pathname } = new URL(uri)
    const afterCreate = (connection: Connection, done: (error: unknown, connection: Connection) => void): void =>
      connection.query(statement, (error) => done(error, connection))
    const knex = createKnex({
      client,
      connection: { host, port: Number(port), user, database: pathname.slice(1) },
      pool: { min: 0, max: 6, afterCreate },
      log: { warn: () => {} },
      ...config,
    })
    return { executor: knexExecutor(knex, false), close: () => knex.destroy() }
  }

/** Converters of the application, which concern its own queries. */
const converters: Knex.Config = {
  postProcessResponse: () => 'converted',
  wrapIdentifier: (name, wrap) => wrap(name.toUpperCase()),
}

// The settings of the drivers are tested with the executors of storage-sql.
describeSettings('knex on mysql2', mariadb, {
  working: { 'converters of knex': openWith('mysql2', converters) },
  refused: { NO_BACKSLASH_ESCAPES: openWith('mysql2', {}, "set sql_mode = 'NO_BACKSLASH_ESCAPES'") },
})

describeSettings('knex on pg', postgresql, {
  working: { 'converters of knex': openWith('pg', converters) },
  refused: {},
})
