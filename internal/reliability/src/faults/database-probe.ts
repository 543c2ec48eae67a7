import { askRedis, connectTo } from '@jwt-auth/test-support'

/** A direct connection to a database server, without proxy and service, as its administrator. */
export interface DatabaseProbe {
  /** Resolves to whether the server responds to a query. */
  readonly isUp: () => Promise<boolean>
  /**
   * Resolves to the number of transactions and statements in progress, without those of the probe.
   */
  readonly countOpenTransactions: () => Promise<number>
  /** Ends all connections but the probe's own. Resolves to their number. */
  readonly killConnections: () => Promise<number>
  /** Runs `alter table` on the table of sessions. Rejects on Redis, which has no table. */
  readonly alterSessions: (change: string) => Promise<unknown>
}

/** Creates the probe of the server at a URL. The probe holds no connection between two calls. */
export const createDatabaseProbe = (url: string): DatabaseProbe => probes[new URL(url).protocol]?.(url) ?? unknown(url)

const unknown = (url: string): never => {
  throw new TypeError(`No probe exists for ${new URL(url).protocol}`)
}

const postgresSql = {
  countOpen: `select count(*) as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and (state <> 'idle' or xact_start is not null)`,
  listConnections: `select pid as id from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`,
  kill: (id: number) => `select pg_terminate_backend(${id})`,
}

const mariadbSql: typeof postgresSql = {
  countOpen: 'select count(*) as n from information_schema.innodb_trx',
  listConnections: 'select id from information_schema.processlist where db = database() and id <> connection_id()',
  kill: (id) => `kill ${id}`,
}

const probeOfSql =
  (sql: typeof postgresSql, pickRows: (result: unknown) => unknown) =>
  (url: string): DatabaseProbe => {
    const ask = async (statement: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
      const knex = connectTo(url, { min: 0, max: 1 })
      // The call rejects with the failure. knex would also print it.
      knex.client.logger.warn = () => {}
      try {
        const rows = pickRows(await knex.raw(statement))
        return Array.isArray(rows) ? rows : []
      } finally {
        await knex.destroy()
      }
    }
    return {
      isUp: () => ask('select 1').then(toTrue, toFalse),
      countOpenTransactions: async () => Number((await ask(sql.countOpen))[0]?.['n']),
      killConnections: async () => {
        const ids = (await ask(sql.listConnections)).map(({ id }) => Number(id))
        // A connection may have ended in the meantime.
        await Promise.all(ids.map((id) => ask(sql.kill(id)).catch(() => [])))
        return ids.length
      },
      alterSessions: (change) => ask(`alter table jwt_auth_sessions ${change}`),
    }
  }

const probeOfRedis = (url: string): DatabaseProbe => {
  const ask = (...command: readonly string[]) => askRedis(url, ...command)
  return {
    isUp: () => ask('PING').then(toTrue, toFalse),
    // A script is atomic, and no transaction spans several scripts.
    countOpenTransactions: async () => 0,
    killConnections: async () => Number(await ask('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')),
    alterSessions: async () => {
      throw new TypeError('Redis has no table of sessions.')
    },
  }
}

const toTrue = (): boolean => true
const toFalse = (): boolean => false

const probes: Readonly<Record<string, (url: string) => DatabaseProbe>> = {
  'postgres:': probeOfSql(postgresSql, (result) => Reflect.get(Object(result), 'rows')),
  'mysql:': probeOfSql(mariadbSql, (result) => Reflect.get(Object(result), 0)),
  'redis:': probeOfRedis,
}
