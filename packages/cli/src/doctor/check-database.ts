import { hasMethod } from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { type Finding, findProblem, unknown } from './finding.js'

/** The settings of a database by their names, and its time in milliseconds. */
interface Database {
  readonly settings: ReadonlyMap<string, unknown>
  readonly nowMs?: number
}

const crash = 'a crash of the database loses acknowledged logouts and refreshes'
const isolations = ['read committed', 'repeatable read']
const conflicts = 'concurrent refreshes fail with serialization errors'

/**
 * The settings that the promises depend on: the name, the accepted values (the first is
 * recommended), and what is lost.
 */
const requirements: readonly (readonly [name: string, accepted: readonly string[], loss: string])[] = [
  ['synchronous_commit', ['on', 'remote_apply'], crash],
  ['fsync', ['on'], crash],
  ['default_transaction_isolation', isolations, conflicts],
  ['innodb_flush_log_at_trx_commit', ['1'], crash],
  ['transaction_isolation', isolations, conflicts],
  ['tx_isolation', isolations, conflicts],
  ['journal_mode', ['wal'], 'readers wait for writers'],
  ['synchronous', ['2', '3'], 'a power failure loses acknowledged logouts and refreshes'],
  ['appendonly', ['yes'], crash],
  ['appendfsync', ['always'], crash],
  ['maxmemory-policy', ['noeviction'], 'sessions vanish when the memory is full'],
  ['role of Redis', ['master'], 'a replica accepts revoked tokens'],
]

const names = requirements.map(([name]) => `'${name}'`).join(', ')
const maxSkewSeconds = 5

/** Checks the settings and the clock of the database of the sessions. */
export const checkDatabase = async (config: CliConfig, now: () => number): Promise<readonly Finding[]> => {
  const database = await inspect(config)
  if (database === undefined) return [unknown('database', 'To check its settings, export `runSql` or `runRedis`.')]
  const { settings, nowMs = now() } = database
  const skewSeconds = Math.round((now() - nowMs) / 1000)
  const isSkewed = Math.abs(skewSeconds) > maxSkewSeconds
  const sqlMode = String(settings.get('sql_mode'))
  return [
    ...requirements.flatMap(([name, accepted, loss]) => {
      const value = settings.get(name)
      const found = String(value).toLowerCase().replace('-', ' ')
      const message = `is ${found}: ${loss}. Set it to ${accepted[0]}.`
      return value === undefined ? [] : [findProblem(name, !accepted.includes(found), message)]
    }),
    findProblem('sql_mode', sqlMode.includes('NO_BACKSLASH_ESCAPES'), 'contains NO_BACKSLASH_ESCAPES. Remove it.'),
    findProblem('clock', isSkewed, `differs from that of the database by ${skewSeconds} s. Synchronize both with NTP.`),
  ]
}

const inspect = async ({ options: { storage }, runSql, runRedis }: CliConfig): Promise<Database | undefined> => {
  // The other database has limits or users, which need no durability. Only storages for SQL print
  // their schema.
  if (runRedis !== undefined && !hasMethod(storage, 'migrationSql')) return inspectRedis(runRedis)
  if (runSql === undefined) return undefined
  const query = async (sql: string) => toRows(await runSql(sql))
  // SQLite has no such function.
  const [row] = await query('select version() as version').catch(() => [])
  if (row === undefined) return inspectSqlite(query)
  return String(row['version']).startsWith('PostgreSQL') ? inspectPostgresql(query) : inspectMysql(query)
}

type Row = Readonly<Record<string, unknown>>
type Query = (sql: string) => Promise<readonly Row[]>

// The results of `pg`, of knex, which depend on the database, and of mysql2, which contain the
// columns too.
const toRows = (result: unknown): readonly Row[] => {
  const rows = typeof result === 'object' && result !== null && 'rows' in result ? result.rows : result
  if (!Array.isArray(rows)) return []
  return Array.isArray(rows[0]) ? rows[0] : rows
}

const toMap = (rows: readonly Row[]): Database['settings'] =>
  new Map(rows.map((row) => [String(row['name'] ?? row['Variable_name']), row['setting'] ?? row['Value']]))

const inspectSqlite = async (query: Query): Promise<Database> => {
  const [journal] = await query('pragma journal_mode')
  const [disk] = await query('pragma synchronous')
  return { settings: new Map(Object.entries({ ...journal, ...disk })) }
}

const inspectPostgresql = async (query: Query): Promise<Database> => {
  const [row] = await query('select extract(epoch from clock_timestamp()) * 1000 as now')
  const settings = toMap(
    await query(`select name, setting from pg_settings where name in (${names}) and name <> 'transaction_isolation'`),
  )
  return { settings, nowMs: Number(row?.['now']) }
}

const inspectMysql = async (query: Query): Promise<Database> => {
  const [row] = await query('select unix_timestamp(now(3)) * 1000 as now')
  const settings = toMap(await query(`show variables where variable_name in (${names}, 'sql_mode')`))
  return { settings, nowMs: Number(row?.['now']) }
}

const inspectRedis = async (run: (args: string[]) => unknown): Promise<Database> => {
  const [seconds, microseconds] = toList(await run(['TIME']))
  const [role] = toList(await run(['ROLE']))
  const read = async (name: string) => [name, toList(await run(['CONFIG', 'GET', name]))[1]] as const
  // Managed servers often refuse CONFIG.
  const settings = await Promise.all(['appendonly', 'appendfsync', 'maxmemory-policy'].map(read)).catch(() => [])
  const nowMs = Number(seconds) * 1000 + Number(microseconds) / 1000
  return { settings: new Map([...settings, ['role of Redis', role]]), nowMs }
}

// With RESP3, the client turns some lists into objects.
const toList = (reply: unknown): readonly unknown[] =>
  Array.isArray(reply) ? reply : Object.entries(Object(reply)).flat()
