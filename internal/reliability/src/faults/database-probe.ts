import { connectTo } from '@jwt-auth/test-support'
import { createClient } from 'redis'

/** Looks at a database server past the proxy and the service, and acts as its administrator. */
export interface DatabaseProbe {
  /** Whether the server answers a question. */
  readonly isUp: () => Promise<boolean>
  /** Transactions and statements that are under way, but for the probe's own. */
  readonly countOpenTransactions: () => Promise<number>
  /** Ends every connection but its own; answers how many there were. */
  readonly killConnections: () => Promise<number>
  /** Changes the table of sessions, by what stands behind `alter table`. Rejects on Redis, which has none. */
  readonly alterSessions: (change: string) => Promise<unknown>
}

/** Makes the probe of the server behind a URL. It holds no connection between two calls. */
export const createDatabaseProbe = (url: string): DatabaseProbe => probes[new URL(url).protocol]?.(url) ?? unknown(url)

const unknown = (url: string): never => {
  throw new TypeError(`There is no probe for ${new URL(url).protocol}`)
}

interface AdministratorSql {
  readonly countOpen: string
  readonly listConnections: string
  readonly kill: (id: number) => string
}

const postgresSql: AdministratorSql = {
  countOpen: `select count(*) as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and (state <> 'idle' or xact_start is not null)`,
  listConnections: `select pid as id from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
  kill: (id) => `select pg_terminate_backend(${id})`,
}

const mariadbSql: AdministratorSql = {
  countOpen: 'select count(*) as n from information_schema.innodb_trx',
  listConnections: 'select id from information_schema.processlist where db = database() and id <> connection_id()',
  kill: (id) => `kill ${id}`,
}

const probeOfSql =
  (sql: AdministratorSql, pickRows: (result: unknown) => unknown) =>
  (url: string): DatabaseProbe => {
    const ask = async (statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
      const knex = connectTo(url, { min: 0, max: 1 })
      // Whoever asks hears of the failure; knex would print it once more.
      knex.client.logger.warn = () => {}
      try {
        const rows = pickRows(await knex.raw(statement))
        return Array.isArray(rows) ? rows : []
      } finally {
        await knex.destroy()
      }
    }
    return {
      isUp: () => ask('select 1').then(isThere, isNotThere),
      countOpenTransactions: async () => Number((await ask(sql.countOpen))[0]?.['n']),
      killConnections: async () => {
        const ids = (await ask(sql.listConnections)).map(({ id }) => Number(id))
        // One that went by itself in the meantime is no failure.
        await Promise.all(ids.map((id) => ask(sql.kill(id)).catch(() => [])))
        return ids.length
      },
      alterSessions: (change) => ask(`alter table jwt_auth_sessions ${change}`),
    }
  }

const probeOfRedis = (url: string): DatabaseProbe => {
  const ask = async (...command: readonly string[]): Promise<unknown> => {
    const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
    await client.connect()
    try {
      return await client.sendCommand(command)
    } finally {
      client.destroy()
    }
  }
  return {
    isUp: () => ask('PING').then(isThere, isNotThere),
    // A script is all or nothing, and nothing stays open between two of them.
    countOpenTransactions: async () => 0,
    killConnections: async () => Number(await ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')),
    alterSessions: async () => {
      throw new TypeError('Redis has no table.')
    },
  }
}

const isThere = (): boolean => true
const isNotThere = (): boolean => false

const probes: Readonly<Record<string, (url: string) => DatabaseProbe>> = {
  'postgres:': probeOfSql(postgresSql, (result) => Reflect.get(Object(result), 'rows')),
  'mysql:': probeOfSql(mariadbSql, (result) => Reflect.get(Object(result), 0)),
  'redis:': probeOfRedis,
}
