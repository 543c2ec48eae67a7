import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  connectTo,
  explainMissingCluster,
  findOwnServers,
  type OwnServer,
  type Prerequisite,
  startClusterNodes,
} from '@jwt-auth/test-support'
import { createClient } from 'redis'

/** A kind of store that the bench creates or starts, so that its counters have only the work of the bench. */
export interface SharedStoreKind extends Prerequisite {
  readonly key: string
  readonly start: () => Promise<SharedStore>
}

/** Counters, by name. */
export type Counts = Readonly<Record<string, number>>

/** A running store, with the settings that docs/reliability.md requires. */
export interface SharedStore {
  /** One URL, or the URLs of all nodes of a cluster. */
  readonly urls: readonly string[]
  readonly processIds: readonly number[]
  /**
   * Resolves to `storedBytes`, used by all sessions, except on SQLite to `loggedBytes`, written to
   * the log so far, and on Redis to the number of `scripts`.
   */
  readonly read: () => Promise<Counts>
  /** Resolves to the number of statements that wait for a lock at this moment. */
  readonly countLockWaits: () => Promise<number>
  /** Stops the store and removes its files. */
  readonly close: () => Promise<void>
}

/** The kinds of stores that several instances can share. */
export const findSharedStores = (): readonly SharedStoreKind[] => [
  { key: 'sqlite', name: 'SQLite', missing: undefined, start: createSqlite },
  ...findOwnServers().map(({ name, missing, start }) => ({
    key: name.toLowerCase().replace('postgresql', 'postgres'),
    name,
    missing,
    start: async () => toStore(await start()),
  })),
  { key: 'redis-cluster', name: 'Redis Cluster', missing: explainMissingCluster(), start: startCluster },
]

/** Adds counters up. */
export const addUp = (all: readonly Counts[]): Counts => {
  const sum: Record<string, number> = {}
  for (const [name, value] of all.flatMap(Object.entries<number>)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

const createSqlite = async (): Promise<SharedStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-bench-'))
  const close = () => rm(folder, { recursive: true })
  return toSqlStore({ urls: [`sqlite:${join(folder, 'sessions.sqlite')}`], processIds: [], close }, sqlite)
}

const toStore = ({ url, processId, remove: close }: OwnServer): SharedStore => {
  const processIds = [processId() ?? 0]
  if (url.startsWith('redis:')) return { urls: [url], processIds, close, ...countersOfRedis([url]) }
  return toSqlStore({ urls: [url], processIds, close }, url.startsWith('postgres:') ? postgres : mariadb)
}

const toSqlStore = (
  { close, ...store }: Pick<SharedStore, 'urls' | 'processIds' | 'close'>,
  sql: { readonly beforeCounts?: string; readonly counts: string; readonly lockWaits: string },
): SharedStore => {
  const knex = connectTo(store.urls.join(), { min: 0, max: 1 })
  const select = async (text: string): Promise<Counts> => {
    const result = await knex.raw(text)
    const [row] = [result.rows ?? result[0]].flat()
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))
  }
  return {
    ...store,
    read: async () => {
      if (sql.beforeCounts !== undefined) await knex.raw(sql.beforeCounts)
      return select(sql.counts)
    },
    countLockWaits: async () => (await select(sql.lockWaits))['waiting'] ?? 0,
    close: async () => {
      await knex.destroy()
      await close()
    },
  }
}

const startCluster = async (): Promise<SharedStore> => {
  const { urls, processIds, stop } = await startClusterNodes(3)
  return { urls, processIds, close: stop, ...countersOfRedis(urls) }
}

const sqlite = {
  counts: 'select page_count * page_size as storedBytes from pragma_page_count(), pragma_page_size()',
  lockWaits: 'select 0 as waiting',
}

const postgres = {
  counts: `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as "loggedBytes",
    pg_total_relation_size(to_regclass('jwt_auth_sessions')) as "storedBytes"`,
  lockWaits: "select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock'",
}

const mariadb = {
  // Otherwise the sizes of tables may be those of some time ago.
  beforeCounts: 'analyze table jwt_auth_sessions',
  counts: `select variable_value as loggedBytes, (select data_length + index_length from information_schema.tables
    where table_schema = database() and table_name = 'jwt_auth_sessions') as storedBytes
    from information_schema.global_status where variable_name = 'Innodb_os_log_written'`,
  lockWaits: "select count(*) as waiting from information_schema.innodb_trx where trx_state = 'LOCK WAIT'",
}

const countersOfRedis = (urls: readonly string[]): Pick<SharedStore, 'read' | 'countLockWaits'> => ({
  read: async () => addUp(await Promise.all(urls.map(readNode))),
  countLockWaits: async () => 0,
})

const readNode = async (url: string): Promise<Counts> => {
  const client = await createClient({ url }).connect()
  const info = String(await client.sendCommand(['INFO', 'everything']))
  await client.close()
  const find = (name: string): number => Number(new RegExp(`^${name}(\\d+)`, 'm').exec(info)?.[1] ?? 0)
  return {
    scripts: find('cmdstat_evalsha:calls='),
    loggedBytes: find('aof_current_size:'),
    storedBytes: find('used_memory_dataset:'),
  }
}
