import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import knex, { type Knex } from 'knex'
import { createClient } from 'redis'
import { explainMissing, type Prerequisite } from './prerequisite.js'
import { createFolder, removeFolder } from './temporary-folder.js'

/** A database of the test's own. It starts empty. */
export type FreshDatabase = ReturnType<typeof trackConnections>

/**
 * A database server that the tests run on. If it is missing, `createDatabase` resolves to a
 * placeholder, on which every statement fails.
 */
export interface DatabaseServer extends Prerequisite {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB'
  readonly createDatabase: (options?: CreateOptions) => Promise<FreshDatabase>
}

interface CreateOptions {
  /** Whether commits wait for the disk. @default false */
  readonly isDurable?: boolean
}

/** The servers that tests use: the variable with their URL, their standard URL, and what it needs. */
export const servers = {
  PostgreSQL: {
    variable: 'TEST_POSTGRES_URL',
    standardUrl: 'postgres://postgres@127.0.0.1:5432/test',
    setUp: 'user postgres without a password, database test',
  },
  MariaDB: {
    variable: 'TEST_MYSQL_URL',
    standardUrl: 'mysql://root@127.0.0.1:3306/test',
    setUp: 'user root without a password, database test',
  },
  Redis: { variable: 'TEST_REDIS_URL', standardUrl: 'redis://127.0.0.1:6379', setUp: 'no password' },
} as const

/** A server, and where it listens. */
interface FoundServer extends Prerequisite {
  readonly url: URL
}

/**
 * Returns SQLite, which is always present, PostgreSQL and MariaDB. A server is present when the
 * tests can log in at the URL in its variable (`TEST_POSTGRES_URL`, `TEST_MYSQL_URL`), or at its
 * standard port. The value `none` makes it missing.
 *
 * @throws Error when a variable is set and its server cannot be used
 */
export const findDatabases = async (): Promise<readonly [DatabaseServer, DatabaseServer, DatabaseServer]> => [
  { name: 'SQLite', createDatabase: createSqliteFile },
  await findDatabase('PostgreSQL'),
  await findDatabase('MariaDB'),
]

/** Returns where Redis listens: at the URL in `TEST_REDIS_URL`, or at its standard port. */
export const findRedis = async (): Promise<FoundServer & { readonly name: 'Redis' }> => ({
  name: 'Redis',
  ...(await findServer('Redis')),
})

const findDatabase = async (name: 'PostgreSQL' | 'MariaDB'): Promise<DatabaseServer> => {
  const { url, missing } = await findServer(name)
  return {
    name,
    missing,
    createDatabase: async (options) => {
      if (missing === undefined) return createOnServer(name, url, options)
      return trackConnections(url.href, { removeTables: async () => {}, remove: async () => {} })
    },
  }
}

const findServer = async (name: keyof typeof servers): Promise<Omit<FoundServer, 'name'>> => {
  const { variable, standardUrl, setUp } = servers[name]
  const given = process.env[variable] || undefined
  if (given === 'none') {
    return { url: new URL(standardUrl), missing: explainMissing(false, `${variable} is \`none\`. Unset ${variable}.`) }
  }
  if (given !== undefined && !URL.canParse(given))
    throw new TypeError(`${variable} must be a URL, such as ${standardUrl}.`)
  const url = new URL(given ?? standardUrl)
  const failure = await tryServer(url)
  if (failure !== undefined && given !== undefined) throw new Error(`${variable}: ${failure}.`)
  const advice = `Start ${name} there (${setUp}), or set ${variable} to its URL.`
  return { url, missing: explainMissing(failure === undefined, `${failure}. ${advice}`) }
}

// Test files share a process: each server is tried once there.
const tried = new Map<string, Promise<string | undefined>>()

const tryServer = (url: URL): Promise<string | undefined> => {
  const known = tried.get(url.href) ?? findFailure(url)
  tried.set(url.href, known)
  return known
}

/**
 * Returns why a server cannot be used. Returns `undefined` when it can, and drops what interrupted
 * tests left behind there.
 */
const findFailure = async (url: URL): Promise<string | undefined> => {
  if (!(await isListening(url))) return `nothing listens at ${url.host}`
  const attempt = url.protocol === 'redis:' ? askRedis(url.href, 'PING') : dropLeftOvers(url)
  return attempt.then(
    () => undefined,
    (error) => `the server at ${url.host} refuses the login or the database (${error.code ?? error.message})`,
  )
}

/**
 * Sends a command to a Redis, on a connection of its own. Rejects with Redis's own error when the
 * server wants a password that the URL does not hold.
 */
export const askRedis = async (url: string, ...command: readonly string[]): Promise<unknown> => {
  const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

/** Returns whether a server listens where a URL points to. */
export const isListening = (url: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Connects to the database behind a {@link FreshDatabase}'s URL, from any process. */
export const connectTo = (url: string, pool: Knex.PoolConfig = { min: 0, max: 10 }): Knex => {
  const { protocol } = new URL(url)
  if (protocol === 'sqlite:') return knex({ ...sqliteConfig(url.slice(protocol.length)), log })
  const client = protocol === 'postgres:' ? 'pg' : 'mysql2'
  return knex({ client, connection: url, pool, log, compileSqlOnError: false })
}

// knex prints the errors of connections that it discards. The tests make connections fail, and see
// the failures elsewhere.
const log = {
  warn: (message: string): void => {
    if (!/^(Connection Error|Acquire connection error): /.test(message)) process.stderr.write(`${message}\n`)
  },
}

const memoryFolder = '/dev/shm'

/** Creates a file of SQLite. */
export const createSqliteFile = async ({ isDurable = false }: CreateOptions = {}): Promise<FreshDatabase> => {
  const isInMemory = !isDurable && process.env['TMPDIR'] === undefined && existsSync(memoryFolder)
  const folder = createFolder(isInMemory ? memoryFolder : undefined)
  const url = `sqlite:${join(folder, 'test.sqlite')}`
  return trackConnections(url, {
    // Not its files: libsql may close them later.
    removeTables: async () => {
      const database = connectTo(url)
      const names = await database('sqlite_master')
        .where('type', 'table')
        .whereNot('name', 'like', 'sqlite%')
        .pluck('name')
      for (const name of names) await database.schema.dropTable(name)
      await database.destroy()
    },
    remove: async () => removeFolder(folder),
  })
}

const createOnServer = async (
  kind: 'PostgreSQL' | 'MariaDB',
  serverUrl: URL,
  { isDurable = false }: CreateOptions = {},
): Promise<FreshDatabase> => {
  const name = createDatabaseName()
  const url = new URL(`/${name}`, serverUrl)
  const run = async (on: URL, ...statements: readonly string[]): Promise<void> => {
    for (const sql of statements) await askSql(on.href, sql)
  }
  const create = `create database ${name}`
  const drop = `drop database ${name}${kind === 'PostgreSQL' ? ' with (force)' : ''}`
  await run(serverUrl, create)
  if (kind === 'PostgreSQL' && !isDurable) await run(serverUrl, `alter database ${name} set synchronous_commit = off`)
  return trackConnections(url.href, {
    removeTables: () =>
      kind === 'PostgreSQL'
        ? run(url, 'drop schema public cascade', 'create schema public')
        : run(serverUrl, drop, create),
    remove: () => run(serverUrl, drop),
  })
}

interface Removals {
  readonly removeTables: () => Promise<void>
  readonly remove: () => Promise<void>
}

const trackConnections = (url: string, { removeTables, remove }: Removals) => {
  const connections: Knex[] = []
  const close = () => Promise.all(connections.splice(0).map((connection) => connection.destroy()))
  return {
    /** In the form of `DATABASE_URL`. */
    url,
    /**
     * Opens another knex instance, as another process would. On a server, its pool has ten
     * connections by default.
     */
    connect: (pool?: Knex.PoolConfig): Knex => {
      const connection = connectTo(url, pool)
      connections.push(connection)
      return connection
    },
    /** Closes every connection made here and removes every table, which is faster than `drop`. */
    empty: async (): Promise<void> => {
      await close()
      await removeTables()
    },
    /** Closes every connection made here and drops the database. */
    drop: async (): Promise<void> => {
      await close()
      await remove()
    },
  }
}

/**
 * Drops the databases that tests created on a server more than an hour ago, except for those with
 * an open connection: a long run still uses them.
 */
export const dropLeftOvers = async (url: URL): Promise<void> => {
  const isPostgres = url.protocol === 'postgres:'
  const names = isPostgres
    ? 'select datname as name from pg_database where datname not in (select datname from pg_stat_activity where datname is not null)'
    : 'select schema_name as name from information_schema.schemata where schema_name not in (select db from information_schema.processlist where db is not null)'
  const result = await askSql(url.href, names)
  const rows: readonly { readonly name: string }[] = Reflect.get(Object(result), isPostgres ? 'rows' : 0)
  for (const { name } of rows) {
    // Another run may drop it at the same time, or a connection may have been opened.
    if (isLeftOver(name)) await askSql(url.href, `drop database ${name}`).catch(() => {})
  }
}

/** Sends a statement to a database, on a connection of its own. */
export const askSql = async (url: string, sql: string): Promise<unknown> => {
  const server = connectTo(url)
  try {
    return await server.raw(sql)
  } finally {
    await server.destroy()
  }
}

const keptMs = 60 * 60 * 1_000

/** Creates a name for a database of the tests. The name contains the time of creation. */
export const createDatabaseName = (now: number = Date.now()): string =>
  `jwt_auth_${Math.floor(now / 1_000).toString(36)}_${randomBytes(6).toString('hex')}`

/** Returns whether a database is one that tests created more than an hour ago. */
export const isLeftOver = (name: string, now: number = Date.now()): boolean => {
  const [, seconds] = /^jwt_auth_([0-9a-z]{6,7})_[0-9a-f]{12}$/.exec(name) ?? []
  return seconds !== undefined && Number.parseInt(seconds, 36) * 1_000 < now - keptMs
}

/** Returns a line for each database server that a command has to do without, for its output. */
export const describeMissing = async (): Promise<readonly string[]> => {
  const servers = [...(await findDatabases()), await findRedis()]
  return servers.flatMap(({ name, missing }) => (missing === undefined ? [] : [`${name} is skipped: ${missing}`]))
}
