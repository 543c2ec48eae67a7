import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import knex, { type Knex } from 'knex'

/** A database of the test's own, empty at first. */
export interface FreshDatabase {
  /** As a host would write it into `DATABASE_URL`. */
  readonly url: string
  /** Connects once more, as another process would; on a server with a pool of ten unless told otherwise. */
  readonly connect: (pool?: Knex.PoolConfig) => Knex
  /** Closes every connection made here and drops the database. */
  readonly drop: () => Promise<void>
}

/** A kind of database the tests run on. */
export interface DatabaseServer {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB'
  readonly createDatabase: () => Promise<FreshDatabase>
}

interface Server {
  readonly name: 'PostgreSQL' | 'MariaDB'
  readonly variable: string
  readonly standardUrl: string
}

const servers: readonly Server[] = [
  {
    name: 'PostgreSQL',
    variable: 'TEST_POSTGRES_URL',
    standardUrl: 'postgres://postgres@127.0.0.1:5432/test',
  },
  { name: 'MariaDB', variable: 'TEST_MYSQL_URL', standardUrl: 'mysql://root@127.0.0.1:3306/test' },
]

/**
 * SQLite, and the servers that are there: named by a variable, or listening at their standard ports. Says in one line what
 * is left out; in CI nothing may be.
 */
export const findDatabases = async (): Promise<readonly DatabaseServer[]> => {
  const found = await Promise.all(servers.map(findServer))
  return [{ name: 'SQLite', createDatabase: createSqliteFile }, ...found.flat()]
}

const findServer = async (server: Server): Promise<readonly DatabaseServer[]> => {
  const given = process.env[server.variable]
  const url = new URL(given ?? server.standardUrl)
  if (given !== undefined || (await isListening(url))) {
    return [{ name: server.name, createDatabase: () => createOnServer(server, url) }]
  }
  const message = `${server.name} is not tested: nothing listens at ${url.host}, and ${server.variable} names no other.`
  if (process.env['CI'] !== undefined) throw new Error(message)
  process.stderr.write(`${message}\n`)
  return []
}

/** Whether a server listens where a URL points to. */
export const isListening = (url: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Connects to the database behind a {@link FreshDatabase}'s URL, from whichever process. */
export const connectTo = (url: string, pool: Knex.PoolConfig = { min: 0, max: 10 }): Knex => {
  const { protocol } = new URL(url)
  if (protocol === 'sqlite:') return knex(libsqlConfig(url.slice(protocol.length)))
  const client = protocol === 'postgres:' ? 'pg' : 'mysql2'
  return knex({ client, connection: url, pool, compileSqlOnError: false })
}

const createSqliteFile = async (): Promise<FreshDatabase> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-'))
  const file = join(folder, 'test.sqlite')
  const url = `sqlite:${file}`
  const connections: Knex[] = []
  return {
    url,
    connect: (pool) => track(connections, connectTo(url, pool)),
    drop: async () => {
      await Promise.all(connections.map((connection) => connection.destroy()))
      await rm(folder, { recursive: true })
    },
  }
}

const createOnServer = async ({ name: kind }: Server, serverUrl: URL): Promise<FreshDatabase> => {
  const name = `jwt_auth_${randomBytes(6).toString('hex')}`
  const url = new URL(`/${name}`, serverUrl).href
  const connections: Knex[] = []
  await onServer(serverUrl, `create database ${name}`)
  return {
    url,
    connect: (pool) => track(connections, connectTo(url, pool)),
    drop: async () => {
      await Promise.all(connections.map((connection) => connection.destroy()))
      await onServer(serverUrl, `drop database ${name}${kind === 'PostgreSQL' ? ' with (force)' : ''}`)
    },
  }
}

const onServer = async (url: URL, sql: string): Promise<void> => {
  const server = connectTo(url.href)
  try {
    await server.raw(sql)
  } finally {
    await server.destroy()
  }
}

const track = (connections: Knex[], connection: Knex): Knex => {
  connections.push(connection)
  return connection
}
