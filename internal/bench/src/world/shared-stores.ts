import {
  connectTo,
  explainMissingCluster,
  findOwnServers,
  type OwnServer,
  type Prerequisite,
  startClusterNodes,
} from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import { createClient } from 'redis'

/** A kind of store that the bench starts itself, so that its counters have only the work of the bench. */
export interface SharedStoreKind extends Prerequisite {
  readonly key: string
  readonly start: () => Promise<SharedStore>
}

/** A running store, with the settings that docs/reliability.md requires. */
export interface SharedStore {
  /** One URL, or the URLs of all nodes of a cluster. */
  readonly urls: readonly string[]
  readonly processIds: readonly number[]
  readonly read: () => Promise<StoreCounts>
  /** Resolves to the number of statements that wait for a lock at this moment. */
  readonly countLockWaits: () => Promise<number>
  /** Stops the store and removes its files. */
  readonly remove: () => Promise<void>
}

/** The counters of a store. */
export interface StoreCounts {
  /** The number of scripts that Redis has run. 0 for SQL: the instances count their statements. */
  readonly scripts: number
  /** Written to the log of the database so far. */
  readonly loggedBytes: number
  /** Used by all sessions, with their indexes. */
  readonly storedBytes: number
}

/** The kinds of stores that several instances can share. */
export const findSharedStores = (): readonly SharedStoreKind[] => {
  const clusterMissing = explainMissingCluster()
  return [
    ...findOwnServers().map(({ name, missing, start }) => ({
      key: name.toLowerCase().replace('postgresql', 'postgres'),
      name,
      missing,
      start: async () => toStore(await start()),
    })),
    { key: 'redis-cluster', name: 'Redis Cluster', missing: clusterMissing, start: startCluster },
  ]
}

const toStore = ({ url, processId, remove }: OwnServer): SharedStore => {
  const processIds = [processId() ?? 0]
  if (url.startsWith('redis:')) return { urls: [url], processIds, remove, ...redisCounters([url]) }
  const knex = connectTo(url, { min: 0, max: 1 })
  const end = async (): Promise<void> => {
    await knex.destroy()
    await remove()
  }
  return {
    urls: [url],
    processIds,
    remove: end,
    ...sqlCounters(knex, url.startsWith('postgres:') ? postgres : mariadb),
  }
}

const startCluster = async (): Promise<SharedStore> => {
  const { urls, processIds, stop } = await startClusterNodes(3)
  return { urls, processIds, remove: stop, ...redisCounters(urls) }
}

const postgres = {
  counts: `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as logged,
    pg_total_relation_size('jwt_auth_sessions') as stored`,
  lockWaits: "select count(*) as waiting from pg_stat_activity where wait_event_type = 'Lock'",
}

const mariadb = {
  counts: `select variable_value as logged, (select data_length + index_length from information_schema.tables
    where table_schema = database() and table_name = 'jwt_auth_sessions') as stored
    from information_schema.global_status where variable_name = 'Innodb_os_log_written'`,
  lockWaits: "select count(*) as waiting from information_schema.innodb_trx where trx_state = 'LOCK WAIT'",
}

const sqlCounters = (knex: Knex, sql: typeof postgres): Pick<SharedStore, 'read' | 'countLockWaits'> => {
  const select = async (text: string): Promise<Readonly<Record<string, unknown>>> => {
    const result = await knex.raw(text)
    return Object(result.rows ?? result[0])[0]
  }
  return {
    read: async () => {
      const { logged, stored } = await select(sql.counts)
      return { scripts: 0, loggedBytes: Number(logged), storedBytes: Number(stored) }
    },
    countLockWaits: async () => Number((await select(sql.lockWaits))['waiting']),
  }
}

const redisCounters = (urls: readonly string[]): Pick<SharedStore, 'read' | 'countLockWaits'> => ({
  read: async () => {
    const nodes = await Promise.all(urls.map(readNode))
    const sum = (name: keyof StoreCounts): number => nodes.reduce((total, node) => total + node[name], 0)
    return { scripts: sum('scripts'), loggedBytes: sum('loggedBytes'), storedBytes: sum('storedBytes') }
  },
  countLockWaits: async () => 0,
})

const readNode = async (url: string): Promise<StoreCounts> => {
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
