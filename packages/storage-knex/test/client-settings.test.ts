import { findDatabases } from '@jwt-auth/test-support'
import { describeSettings } from '@jwt-auth/test-support/client-settings'
import createKnex, { type Knex } from 'knex'
import { knexExecutor } from '../src/knex-executor.js'

const [, postgresql, mariadb] = await findDatabases()

interface Connection {
  query(statement: string, done: (error: unknown) => void): void
}
const prepareWith =
  (statement: string) =>
  (connection: Connection, done: (error: unknown, connection: Connection) => void): void =>
    connection.query(statement, (error) => done(error, connection))

const openWith =
  (client: 'mysql2' | 'pg') =>
  (connection: object, config: Knex.Config & { readonly statement?: string } = {}) =>
  (uri: string) => {
    const { statement = 'select 1', ...others } = config
    const { hostname: host, port, username: user, pathname } = new URL(uri)
    const knex = createKnex({
      client,
      connection: { host, port: Number(port), user, database: pathname.slice(1), ...connection },
      pool: { min: 0, max: 6, afterCreate: prepareWith(statement) },
      log: { warn: () => {} },
      ...others,
    })
    return { executor: knexExecutor(knex, false), close: () => knex.destroy() }
  }
const [mysqlWith, pgWith] = [openWith('mysql2'), openWith('pg')]

/** Converters of the application, which concern its own queries. */
const converters: Knex.Config = {
  postProcessResponse: () => 'converted',
  wrapIdentifier: (name, wrap) => wrap(name.toUpperCase()),
}

describeSettings('knex on mysql2', mariadb, {
  working: {
    bigNumberStrings: mysqlWith({ supportBigNumbers: true, bigNumberStrings: true }),
    dateStrings: mysqlWith({ dateStrings: true }),
    decimalNumbers: mysqlWith({ decimalNumbers: true }),
    'a typeCast that returns text': mysqlWith({ typeCast: (field: { string(): string | null }) => field.string() }),
    namedPlaceholders: mysqlWith({ namedPlaceholders: true }),
    multipleStatements: mysqlWith({ multipleStatements: true }),
    'no FOUND_ROWS': mysqlWith({ flags: ['-FOUND_ROWS'] }),
    'another time zone': mysqlWith({ timezone: '+05:00' }, { statement: "set time_zone = '-08:00'" }),
    'another collation': mysqlWith({ charset: 'utf8mb4_turkish_ci' }),
    'the SQL mode ANSI': mysqlWith({}, { statement: "set sql_mode = 'ANSI,TRADITIONAL'" }),
    'the isolation level serializable': mysqlWith(
      {},
      { statement: 'set session transaction isolation level serializable' },
    ),
    'converters of knex': mysqlWith({}, converters),
  },
  refused: {
    NO_BACKSLASH_ESCAPES: mysqlWith({}, { statement: "set sql_mode = 'NO_BACKSLASH_ESCAPES'" }),
    'the character set latin1': mysqlWith({ charset: 'latin1' }),
    'autocommit = 0': mysqlWith({}, { statement: 'set autocommit = 0' }),
  },
})

const parseWith = (parsers: Readonly<Record<number, (text: string) => unknown>>) => ({
  types: { getTypeParser: (id: number) => parsers[id] ?? ((text: string) => text) },
})

describeSettings('knex on pg', postgresql, {
  working: {
    'int8 as bigint': pgWith(parseWith({ 20: BigInt })),
    'int8 as number': pgWith(parseWith({ 20: Number })),
    'int4 as bigint': pgWith(parseWith({ 23: BigInt })),
    'all values as text': pgWith(parseWith({})),
    'the isolation level serializable': pgWith(
      {},
      { statement: 'set session characteristics as transaction isolation level serializable' },
    ),
    'no standard_conforming_strings': pgWith({}, { statement: 'set standard_conforming_strings = off' }),
    'converters of knex': pgWith({}, converters),
  },
  refused: {},
})
